/* Which expressions are simple enough for strategies to compute in registers. */
#include "graph.h"
#include <redhost/plugin.h>

#include <math.h>

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

static int is_difference(const rh_exprs *exprs, uint32_t k, uint32_t variables[2]) {
  const rh_node *node = &exprs->nodes[k];
  return node->kind == RH_NODE_SUBTRACT && is_float(node) && take_variables(exprs, node, variables);
}

static int is_magnitude(const rh_node *node) {
  return node->kind == RH_NODE_CALL && (node->function->f1 == fabsf || node->function->d1 == fabs);
}

uint32_t rh_exprs_form(const rh_exprs *exprs, uint32_t variables[2]) {
  const rh_node *node = &exprs->nodes[exprs->outputs[0]];
  variables[0] = variables[1] = 0;
  if (take_variable(node, &variables[0])) return RH_FORM_ELEMENT;
  if (is_magnitude(node) && is_difference(exprs, node->args[0], variables)) return RH_FORM_DISTANCE;
  if (node->kind != RH_NODE_MULTIPLY || !is_float(node)) return RH_FORM_OTHER;
  if (node->args[0] == node->args[1] && is_difference(exprs, node->args[0], variables))
    return RH_FORM_SQUARED_DISTANCE;
  return take_variables(exprs, node, variables) ? RH_FORM_PRODUCT : RH_FORM_OTHER;
}
