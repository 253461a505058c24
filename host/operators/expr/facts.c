/* What an expression does, found of each node when it is made. */
#include "../../core/base/vocabulary.h"
#include "graph.h"

#include <math.h>

static int is_float(rh_type type) {
  return type == RH_TYPE_f32 || type == RH_TYPE_f64;
}

static int rounds(const rh_node *node) {
  switch (node->kind) {
  case RH_NODE_ADD:
  case RH_NODE_SUBTRACT:
  case RH_NODE_MULTIPLY:
  case RH_NODE_DIVIDE:
  case RH_NODE_CAST:
  case RH_NODE_NARROW:
  case RH_NODE_CALL: return is_float(node->type);
  default: return 0;
  }
}

static int is_linear(const rh_node *node) {
  switch (node->kind) {
  case RH_NODE_MULTIPLY:
  case RH_NODE_DIVIDE:
  case RH_NODE_NARROW:
  case RH_NODE_BITS: return 0;
  case RH_NODE_CALL: return rh_node_calls(node, "fabs");
  default: return 1;
  }
}

/* Has it more than 16 bits? */
static int is_long_literal(const rh_node *node) {
  int exponent;
  if (node->kind != RH_NODE_LITERAL || !is_float(node->type)) return 0;
  double x = node->type == RH_TYPE_f64 ? node->value.f64 : (double)node->value.f32;
  double scaled = ldexp(frexp(x, &exponent), 16);
  return isfinite(x) && scaled != trunc(scaled);
}

static int errs(const rh_node *node) {
  return node->kind == RH_NODE_CALL && node->function->ulp > 0;
}

/* How far two evaluations may lie apart, because functions err: by this part of the value.
 * INFINITY: nothing is known. */
static double error_of(const rh_node *nodes, const rh_node *node) {
  double errors[3] = {0, 0, 0};
  double unit =
      node->type == RH_TYPE_f32 ? 0x1p-23 : 0x1p-52; /* at most 1 ulp of a normal number */
  for (uint32_t k = 0; k < node->arity; k++) errors[k] = nodes[node->args[k]].error;
  if (errors[0] == 0 && errors[1] == 0 && errors[2] == 0)
    return errs(node) ? 2 * node->function->ulp * unit * (1 + 0x1p-10) : 0;
  int is_widened = node->kind == RH_NODE_CAST && node->type == RH_TYPE_f64;
  if (node->kind == RH_NODE_NEGATE || (is_widened && node->of == RH_TYPE_f32) ||
      rh_node_calls(node, "fabs"))
    return errors[0];
  if (node->kind == RH_NODE_CHOOSE && errors[0] == 0) return fmax(errors[1], errors[2]);
  return (double)INFINITY;
}

void rh_graph_find_facts(const rh_node *nodes, rh_node *node) {
  const struct {
    int holds;
    uint32_t fact;
  } own[] = {
      {rounds(node), RH_EXPR_ROUNDS},
      {errs(node), RH_EXPR_ERRS},
      {!is_linear(node), RH_EXPR_MULTIPLIES},
      {is_long_literal(node), RH_EXPR_LONG_LITERALS},
      {node->kind == RH_NODE_INDEX, RH_EXPR_USES_INDEX},
      {node->type == RH_TYPE_f64, RH_EXPR_USES_F64},
      {node->kind == RH_NODE_EQUAL || node->kind == RH_NODE_UNEQUAL, RH_EXPR_COMPARES_EQUAL}};
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (own[k].holds) node->facts |= own[k].fact;
  if (node->kind == RH_NODE_VARIABLE) node->variables = UINT64_C(1) << node->number;
  for (uint32_t k = 0; k < node->arity; k++) {
    node->facts |= nodes[node->args[k]].facts;
    node->variables |= nodes[node->args[k]].variables;
  }
  node->error = error_of(nodes, node);
}

/* ---- Of outputs ---- */

uint32_t rh_exprs_facts(const rh_exprs *exprs, uint32_t output) {
  uint32_t facts = 0;
  for (uint32_t k = 0; k < exprs->n_outputs; k++)
    if (output == k || output == RH_EXPRS_ALL) facts |= exprs->nodes[exprs->outputs[k]].facts;
  return facts;
}

uint64_t rh_exprs_variables(const rh_exprs *exprs, uint32_t output) {
  uint64_t variables = 0;
  for (uint32_t k = 0; k < exprs->n_outputs; k++)
    if (output == k || output == RH_EXPRS_ALL)
      variables |= exprs->nodes[exprs->outputs[k]].variables;
  return variables;
}

double rh_exprs_error(const rh_exprs *exprs) {
  return exprs->nodes[exprs->outputs[0]].error;
}
