/* Foreign functions: any function of any shared library as a strategy, from a description in JSON
 * (docs/extend/foreign.md), and calls by it: of a function whose parameters are known only at run
 * time. */
#pragma once

#include <ffi.h>

#include "../../core/base/base.h"

/* Reads the description, opens its library, and calls the function once on a few elements, so that
 * a wrong description fails in the probe process.  Like that of rh_plugin_open(), the plugin stays
 * open until the process ends, and is returned again for the same file with the same text. */
rh_status rh_foreign_open(const char *path, const rh_plugin **plugin, rh_error *error);

/* ---- C types by name, and values of these types ---- */

typedef struct rh_ctype {
  const char *name;
  rh_type type; /* 0: a pointer */
  ffi_type *ffi;
} rh_ctype;

/* The value of one argument or result, as in memory. */
typedef union rh_cvalue {
  unsigned char bytes[8];
  const void *pointer;
} rh_cvalue;

/* A number without its type, as rh_element_load() has it: an integer, sign-extended, or a float. */
typedef union rh_number {
  uint64_t u;
  double f;
} rh_number;

/* ---- Descriptions ---- */

enum { RH_FOREIGN_MOST_ARGUMENTS = 16, RH_FOREIGN_MOST_BYTES = 1 << 16 };

/* NONE: of a function that returns nothing. */
enum {
  RH_ROLE_NONE,
  RH_ROLE_N,
  RH_ROLE_DATA,
  RH_ROLE_STRIDE,
  RH_ROLE_RESULT,
  RH_ROLE_STATUS,
  RH_ROLE_CONSTANT,
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
  uint32_t roles;              /* a bit for each that a value has */
  const rh_ctype *result_type; /* of the result, whether returned or an argument */
  uint64_t base;               /* the index of the first element */
  uint64_t max_n;              /* elements of one call */
  char stem[64];               /* the name if the description has none */
  /* Once it is bound: */
  void (*function)(void);
  ffi_type *types[RH_FOREIGN_MOST_ARGUMENTS];
  ffi_cif interface;
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
