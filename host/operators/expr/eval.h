/* Evaluation, node by node. */
#pragma once

#include "graph.h"

#include <stddef.h>

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

/* Evaluates node k of elements done .. done+n-1, of which the first of all has the index `first`.
 * Its operands have been. */
void rh_eval_node(const rh_evaluation *e, uint32_t k, uint64_t first, uint64_t done, size_t n);

/* A new node: its value, if it is of literals alone. */
void rh_eval_known(const rh_exprs *exprs, rh_node *node);
