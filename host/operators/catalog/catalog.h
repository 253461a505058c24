/* All operators by name: built in, those that come with redhost, and files beside plugins. */
#pragma once

#include "../../core/plug/discover.h"
#include "../custom/custom.h"

/* The traits of an operator, found by making it for operands of each type. */
typedef struct rh_traits {
  uint32_t types; /* bit T: it can be made for operands that all have the type T */
  int commutes;
  /* Is combining exact, for integer and for float operands? */
  int exact_integers, exact_floats;
  uint32_t n_results;
  char results[RH_MOST_FIELDS][RH_OPERATOR_NAME_BYTES];
  uint32_t value_bytes; /* of the largest value */
} rh_traits;

/* RH_E_FILE, with the reason, if it can be made for no types of its operands. */
rh_status rh_traits_find(rh_traits *traits, const rh_definition *definition, rh_error *error);

void rh_traits_of_built_in(rh_traits *traits, uint32_t op);

typedef enum rh_operator_origin {
  RH_ORIGIN_FILE,
  RH_ORIGIN_REDHOST,
  RH_ORIGIN_BUILT_IN
} rh_operator_origin;

typedef struct rh_catalog_entry {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_operator_origin origin;
  char *path;               /* of a file; else null */
  uint32_t place;           /* the rank of its directory, as rh_candidate has it */
  uint32_t op;              /* built-in: its number; else 0 */
  rh_definition definition; /* built-in: empty */
  rh_traits traits;
  char *shadowed_by; /* null, or the path of the file whose operator of that name comes first */
} rh_catalog_entry;

/* A file that is not used.  The message names it. */
typedef struct rh_catalog_refusal {
  char *path, *message;
  uint32_t place;
  char name[RH_OPERATOR_NAME_BYTES]; /* its operator's, or "" */
} rh_catalog_refusal;

typedef struct rh_catalog {
  rh_catalog_entry *entries; /* by name; shadowed ones follow the one that takes precedence */
  uint32_t n_entries;
  rh_catalog_refusal *refusals;
  uint32_t n_refusals;
  char **notes; /* on the search */
  uint32_t n_notes;
} rh_catalog;

/* Reads and makes every operator.  A file that cannot be used becomes a refusal. */
rh_status rh_catalog_scan(rh_catalog *catalog, const rh_options *options, rh_error *error);
void rh_catalog_finish(rh_catalog *catalog);

/* The entry of that name that takes precedence; null if there is none. */
const rh_catalog_entry *rh_catalog_find(const rh_catalog *catalog, const char *name);

/* The definition of the operator of that name, which no built-in one has.  A file of that name that
 * comes before it and cannot be used is logged.  RH_E_FILE if there is only such a file, RH_E_USAGE
 * if there is no operator of that name, with a suggestion. */
rh_status rh_catalog_define(rh_definition *definition, const rh_options *options, const char *name,
                            rh_error *error);
