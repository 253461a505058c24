/* Evaluation, node by node. */
#pragma once

#include "../../core/base/widest.h"
#include "graph.h"

enum { RH_EVAL_NUMBER_BYTES = 8 };

typedef struct rh_evaluation {
  const rh_exprs *exprs;
  const void *const *variables;
  const rh_scalar *constants;
  void *const *outputs;
  unsigned char *rooms; /* of room_bytes each */
  size_t room_bytes;
  const void **places; /* of the nodes' results */
} rh_evaluation;

/* An operation on arrays: `expression` is element j of the result, of the types' x[j], y[j] and
 * z[j]. */
#define RH_OPERATION(name, result, of_x, of_y, of_z, expression)                                   \
  WIDEST static void name(void *restrict to, const void *a, const void *b, const void *c,          \
                          size_t n) {                                                              \
    result *restrict r = to;                                                                       \
    const of_x *x = a;                                                                             \
    const of_y *y = b;                                                                             \
    const of_z *z = c;                                                                             \
    (void)y;                                                                                       \
    (void)z;                                                                                       \
    for (size_t j = 0; j < n; j++) r[j] = (result)(expression);                                    \
  }

/* Evaluates node k of elements done .. done+n-1, of which the first of all has the index `first`.
 * Its operands have been. */
void rh_eval_node(const rh_evaluation *e, uint32_t k, uint64_t first, uint64_t done, size_t n);

/* A new node: its value, if it is of literals alone. */
void rh_eval_known(const rh_exprs *exprs, rh_node *node);
