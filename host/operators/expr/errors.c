/* How far two evaluations of one expression may lie apart, because of functions that OpenCL C lets
 * err. */
#include "graph.h"

#include <math.h>

/* A node's value may differ by this part of it.  INFINITY: nothing is known. */
static double error_of(const rh_node *node, const double *errors) {
  const double *a = node->arity ? &errors[node->args[0]] : NULL;
  int is_narrow = node->type == RH_TYPE_f32, all = 1;
  double unit = is_narrow ? 0x1p-23 : 0x1p-52; /* at most 1 ulp of a normal number */
  for (uint32_t k = 0; k < node->arity; k++) all &= errors[node->args[k]] == 0;
  if (all && node->kind == RH_NODE_CALL && !node->function->is_exact)
    return 2 * node->function->ulp[!is_narrow] * unit * (1 + 0x1p-10);
  if (all) return 0;
  if (node->kind == RH_NODE_NEGATE) return *a;
  if (node->kind == RH_NODE_CAST && node->type == RH_TYPE_f64 && node->of == RH_TYPE_f32) return *a;
  if (node->kind == RH_NODE_CALL && node->function->f1 == fabsf) return *a;
  if (node->kind == RH_NODE_CHOOSE && *a == 0)
    return fmax(errors[node->args[1]], errors[node->args[2]]);
  return (double)INFINITY;
}

double rh_exprs_error(const rh_exprs *exprs) {
  double errors[exprs->n_nodes + 1];
  for (uint32_t k = 0; k < exprs->n_nodes; k++)
    errors[k] = exprs->nodes[k].is_live ? error_of(&exprs->nodes[k], errors) : 0;
  return errors[exprs->outputs[0]];
}
