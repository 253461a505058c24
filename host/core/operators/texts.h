/* An operator as a request or a command line says it: in several texts. */
#ifndef RH_OPERATORS_TEXTS_H
#define RH_OPERATORS_TEXTS_H

#include "definition.h"

/* Null: not given. */
typedef struct rh_operator_texts {
  /* "sum"; "min,max,sum"; "dot", which comes along; "FILE.json"; or the text of such a file, which
   * begins with a brace.  Null: sum */
  const char *op;
  const char *map;      /* expressions of the operands, with commas between */
  const char *reduce;   /* instead of op: combines a and b */
  const char *identity; /* goes with reduce */
  const char *finalize; /* "a.0/n", "mean = a.0/n, ..." */
  int commutes;         /* goes with reduce */
} rh_operator_texts;

/* Is it more than a built-in operator over the elements? */
int rh_operator_texts_are_own(const rh_operator_texts *texts);

/* Zero-initialised `definition` must be finished even after a failure.  RH_E_USAGE, or RH_E_FILE
 * for a file. */
rh_status rh_definition_compose(rh_definition *definition, const rh_operator_texts *texts,
                                rh_error *error);

/* Can it be the name of an operand or constant? */
int rh_operator_is_name(const char *text, size_t length);

/* x, y, z, w, v, u, s, r: the names of operands that have none. */
const char *rh_operand_usual_name(uint32_t k);

#endif
