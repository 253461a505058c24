/* An operator as a request or a command line says it: in several texts. */
#pragma once

#include "../custom/custom.h"

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
typedef struct rh_known_definition rh_known_definition;
typedef struct rh_definitions {
  rh_known_definition *list;
  uint32_t n;
} rh_definitions;
void rh_definitions_finish(rh_definitions *known);

/* Is it more than a built-in operator over the elements? */
int rh_operator_texts_are_own(const rh_operator_texts *texts);

/* Zero-initialised `definition` must be finished even after a failure.  options: where files are
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
