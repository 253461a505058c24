/* Finds the expressions that are simple enough for loops of their own. */
#include "../../core/base/vocabulary.h"
#include "graph.h"
#include <redhost/plugin.h>

static int is_float(const rh_node *node) {
  return node->type == RH_TYPE_f32 || node->type == RH_TYPE_f64;
}

/* A variable whose elements have the type that is computed with. */
static int take_variable(const rh_node *node, uint32_t *variable) {
  if (node->kind != RH_NODE_VARIABLE || node->of != node->type) return 0;
  *variable = node->number;
  return 1;
}

static int take_variables(const rh_exprs *exprs, const rh_node *of, uint32_t variables[2]) {
  return take_variable(&exprs->nodes[of->args[0]], &variables[0]) &&
         take_variable(&exprs->nodes[of->args[1]], &variables[1]);
}

/* An f32 as f64, where there is no operand but f32. */
static int take_wide(const rh_exprs *exprs, uint32_t k, uint32_t *variable) {
  const rh_node *node = &exprs->nodes[k];
  for (uint32_t j = 0; j < exprs->n_variables; j++)
    if (exprs->types[j] != RH_TYPE_f32) return 0;
  if (node->kind != RH_NODE_CAST || node->type != RH_TYPE_f64) return 0;
  return take_variable(&exprs->nodes[node->args[0]], variable);
}

static int is_difference(const rh_exprs *exprs, uint32_t k, uint32_t variables[2]) {
  const rh_node *node = &exprs->nodes[k];
  return node->kind == RH_NODE_SUBTRACT && is_float(node) && take_variables(exprs, node, variables);
}

uint32_t rh_exprs_form(const rh_exprs *exprs, uint32_t variables[2]) {
  const rh_node *node = &exprs->nodes[exprs->outputs[0]];
  variables[0] = variables[1] = 0;
  if (take_variable(node, &variables[0])) return RH_FORM_ELEMENT;
  if (take_wide(exprs, exprs->outputs[0], &variables[0])) {
    variables[1] = variables[0];
    return RH_FORM_ELEMENT;
  }
  if (rh_node_calls(node, "fabs") && is_difference(exprs, node->args[0], variables))
    return RH_FORM_DISTANCE;
  if (node->kind != RH_NODE_MULTIPLY || !is_float(node)) return RH_FORM_OTHER;
  if (node->args[0] == node->args[1] && is_difference(exprs, node->args[0], variables))
    return RH_FORM_SQUARED_DISTANCE;
  if (take_wide(exprs, node->args[0], &variables[0]) &&
      take_wide(exprs, node->args[1], &variables[1]))
    return RH_FORM_PRODUCT;
  return take_variables(exprs, node, variables) ? RH_FORM_PRODUCT : RH_FORM_OTHER;
}

/* The variable that a float is, converted to types that hold it; null: it is none. */
static const rh_node *variable_in(const rh_exprs *exprs, uint32_t k) {
  const rh_node *node = &exprs->nodes[k], *inner;
  for (; node->kind == RH_NODE_CAST && is_float(node); node = inner) {
    inner = &exprs->nodes[node->args[0]];
    if (is_float(inner) && rh_type_size(node->type) < rh_type_size(inner->type)) return NULL;
  }
  return node->kind == RH_NODE_VARIABLE ? node : NULL;
}

int rh_exprs_is_element(const rh_exprs *exprs) {
  const rh_node *variable = variable_in(exprs, exprs->outputs[0]);
  return exprs->n_outputs == 1 && variable && rh_type_is_float(variable->of);
}

int rh_exprs_is_quotient(const rh_exprs *exprs) {
  const rh_node *node = &exprs->nodes[exprs->outputs[0]];
  if (exprs->n_outputs != 1 || node->kind != RH_NODE_DIVIDE || !is_float(node)) return 0;
  const rh_node *a = variable_in(exprs, node->args[0]), *n = variable_in(exprs, node->args[1]);
  return a && n && a->number == 0 && n->number == 1;
}

int rh_exprs_is_literal(const rh_exprs *exprs, uint32_t output, double value) {
  const rh_node *node = &exprs->nodes[exprs->outputs[output]];
  return node->kind == RH_NODE_LITERAL && node->type == RH_TYPE_f64 && node->value.f64 == value;
}

rh_type rh_exprs_variable_of(const rh_exprs *exprs, uint32_t output, uint32_t *variable) {
  const rh_node *node = &exprs->nodes[exprs->outputs[output]];
  if (node->kind == RH_NODE_CAST) node = &exprs->nodes[node->args[0]];
  return node->kind == RH_NODE_VARIABLE && take_variable(node, variable) ? node->type : 0;
}

static int is_same_leaf(const rh_node *a, const rh_node *b) {
  switch (a->kind) {
  case RH_NODE_LITERAL: return memcmp(&a->value, &b->value, rh_type_size(a->type)) == 0;
  case RH_NODE_VARIABLE:
  case RH_NODE_CONSTANT: return a->number == b->number && a->as == b->as;
  default: return a->function == b->function;
  }
}

static int is_same(const rh_exprs *a, uint32_t in_a, const rh_exprs *b, uint32_t in_b) {
  const rh_node *one = &a->nodes[in_a], *other = &b->nodes[in_b];
  if (one->kind != other->kind || one->type != other->type || one->of != other->of ||
      one->arity != other->arity || !is_same_leaf(one, other))
    return 0;
  for (uint32_t k = 0; k < one->arity; k++)
    if (!is_same(a, one->args[k], b, other->args[k])) return 0;
  return 1;
}

int rh_exprs_are_equal(const rh_exprs *exprs, const rh_exprs *other) {
  if (exprs->n_outputs != other->n_outputs) return 0;
  for (uint32_t k = 0; k < exprs->n_outputs; k++)
    if (!is_same(exprs, exprs->outputs[k], other, other->outputs[k])) return 0;
  return 1;
}
