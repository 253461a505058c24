/* Descriptions of foreign functions: docs/extend/foreign.md as a struct.  Loads and calls
 * nothing. */
#pragma once

#include "ctype.h"
#include <jansson.h>
#include <redhost/redhost.h>

enum { RH_FOREIGN_MOST_ARGUMENTS = 16, RH_FOREIGN_MOST_BYTES = 1 << 16 };

/* X(role, its name).  NONE: of a function that returns nothing. */
#define RH_ROLE_LIST(X)                                                                            \
  X(NONE, "nothing")                                                                               \
  X(N, "n")                                                                                        \
  X(DATA, "data")                                                                                  \
  X(STRIDE, "stride")                                                                              \
  X(RESULT, "result")                                                                              \
  X(STATUS, "status")                                                                              \
  X(CONSTANT, "constant")
enum {
#define RH_X(role, name) RH_ROLE_##role,
  RH_ROLE_LIST(RH_X)
#undef RH_X
      RH_N_ROLES
};

typedef struct rh_foreign_value {
  uint32_t role;
  const rh_ctype *type; /* null for nothing; for a result by pointer, the type that it points to */
  rh_cvalue constant;
} rh_foreign_value;

typedef struct rh_foreign {
  json_t *json; /* holds the strings */
  const char *name, *summary, *about, *version, *author, *license;
  /* a soname; or, with a slash, a path: absolute, or relative to the description's directory */
  const char *library;
  const char *symbol;
  uint32_t op;
  rh_type type;
  uint32_t keeps_order, reproducible;
  int32_t score;
  rh_foreign_value returns;
  rh_foreign_value arguments[RH_FOREIGN_MOST_ARGUMENTS];
  uint32_t n_arguments;
  const rh_ctype *result_type; /* of the result, whether returned or an argument */
  uint64_t base;               /* the index of the first element */
  uint64_t max_n;              /* elements of one call */
  char stem[64];               /* the name if the description has none */
} rh_foreign;

/* `path` gives the name if the text has none.  RH_E_PLUGIN with the place in the text: line and
 * column if it is not JSON, else the key ("arguments[2].role: ...").  On failure *foreign is
 * empty. */
rh_status rh_foreign_read(rh_foreign *foreign, const char *path, const char *text, size_t length,
                          rh_error *error);
void rh_foreign_finish(rh_foreign *foreign);

/* The path of the library, malloc'ed, for a description in this file; null if only the loader knows
 * it, or without memory. */
char *rh_foreign_library(const rh_foreign *foreign, const char *path);
