/* All operators by name: built in, those that come with redhost, and files beside plugins. */
#pragma once

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

typedef enum rh_operator_origin {
  RH_ORIGIN_FILE,
  RH_ORIGIN_REDHOST,
  RH_ORIGIN_BUILT_IN
} rh_operator_origin;

typedef struct rh_catalog_entry {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_operator_origin origin;
  const char *path;         /* of a file; else null */
  uint32_t place;           /* the rank of its directory, as rh_candidate has it */
  uint32_t op;              /* built-in: its number; else 0 */
  rh_definition definition; /* built-in: empty */
  rh_traits traits;
  /* null, or the path of the file whose operator of that name comes first */
  const char *shadowed_by;
} rh_catalog_entry;

/* A file that is not used.  The message names it. */
typedef struct rh_catalog_refusal {
  const rh_candidate *candidate;
  char *message;
  char name[RH_OPERATOR_NAME_BYTES]; /* its operator's, or "" */
} rh_catalog_refusal;

typedef struct rh_catalog {
  rh_discovery search;
  rh_catalog_entry *entries; /* by name; shadowed ones follow the one that takes precedence */
  uint32_t n_entries;
  rh_catalog_refusal *refusals;
  uint32_t n_refusals;
} rh_catalog;

/* Reads and makes every operator; only: null, or the one name that is wanted, without the traits of
 * one that is redhost's.  A file that cannot be used becomes a refusal.  Zero-initialised *catalog
 * must be finished even after a failure. */
rh_status rh_catalog_scan(rh_catalog *catalog, const rh_options *options, const char *only,
                          rh_error *error);
void rh_catalog_finish(rh_catalog *catalog);

/* The entry of that name that takes precedence; null if there is none. */
const rh_catalog_entry *rh_catalog_find(const rh_catalog *catalog, const char *name);

/* ---- What other libraries call types and operators ---- */

/* Advice for a type's name there, such as "float32", as a clause; else null. */
const char *rh_type_instead(const char *name);
/* Advice for an operator that other libraries have and redhost lacks, such as "median", as a
 * clause; else null. */
const char *rh_op_instead(const char *name);

/* ---- An operator as a request or a command line says it: in several texts ---- */

/* Null: not given. */
typedef struct rh_operator_texts {
  /* "sum"; "min,max,sum"; "dot", an operator that comes along or is found; "FILE.json" or another
   * path; or the text of such a file, which begins with a brace.  Null: sum */
  const char *op;
  const char *map;              /* expressions of the operands, with commas between */
  const char *where;            /* "x > 0": other elements change nothing; null: all count */
  const char *reduce;           /* instead of op: combines a and b */
  const char *identity;         /* goes with reduce */
  const char *finalize;         /* "a.0/n", "mean = a.0/n, ..." */
  const char *initial;          /* "0.5": what a built-in operator's value is combined with */
  int commutes;                 /* goes with reduce */
  uint32_t accuracy;            /* RH_ACCURACY_*: a definition may have another form for it */
  struct rh_definitions *known; /* where definitions that are read are remembered; or null */
} rh_operator_texts;

/* Definitions by the name or the path that they were read by, which are not read again.
 * Zero-initialised is empty. */
typedef struct rh_definitions {
  rh_definition *list;
  uint32_t n;
} rh_definitions;
void rh_definitions_finish(rh_definitions *known);

/* Is it more than a built-in operator over the elements? */
int rh_operator_texts_are_own(const rh_operator_texts *texts);

/* Zero-initialised `definition` must be finished even after a failure; the texts must outlive it.
 * options: where files are
 * searched for.  RH_E_USAGE, or RH_E_FILE for a file. */
rh_status rh_definition_compose(rh_definition *definition, const rh_operator_texts *texts,
                                const rh_options *options, rh_error *error);

/* Calls rh_custom_create(), but returns RH_E_FILE for a definition that makes an operator for no
 * types of its operands, and so is wrong by itself. */
rh_status rh_catalog_make(rh_custom **made, const rh_definition *definition,
                          const rh_operand *operands, uint32_t n_operands, const rh_let *lets,
                          uint32_t n_lets, rh_error *error);

/* x, y, z, w, v, u, s, r: the names of operands that have none. */
const char *rh_operand_usual_name(uint32_t k);
