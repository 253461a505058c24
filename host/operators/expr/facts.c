/* What expressions do and are: found of each node when it is made, and asked of outputs. */
#include "internal.h"

/* ---- Facts of a node ---- */

/* Has it more than 16 bits? */
static int is_long_literal(const rh_node *node) {
  int exponent;
  if (node->kind != RH_NODE_LITERAL || !rh_type_is_float(node->type)) return 0;
  double x = rh_number_at(node->type, &node->value, 0);
  double scaled = ldexp(frexp(x, &exponent), 16);
  return isfinite(x) && scaled != trunc(scaled);
}

static int errs(const rh_node *node) {
  return node->kind == RH_NODE_CALL && node->function->ulp > 0;
}

static uint32_t own_facts(const rh_node *node) {
  int is_call = node->kind == RH_NODE_CALL, is_fabs = rh_node_calls(node, "fabs");
  int rounds = rh_node_has(node->kind, RH_ROUNDS) && rh_type_is_float(node->type);
  int is_equality = node->kind == RH_NODE_EQUAL || node->kind == RH_NODE_UNEQUAL;
  uint32_t facts = rounds ? RH_EXPR_ROUNDS : 0;
  if (errs(node)) facts |= RH_EXPR_ERRS;
  if (rh_node_has(node->kind, RH_MULTIPLIES) || (is_call && !is_fabs)) facts |= RH_EXPR_MULTIPLIES;
  if (is_long_literal(node)) facts |= RH_EXPR_LONG_LITERALS;
  if (node->kind == RH_NODE_INDEX) facts |= RH_EXPR_USES_INDEX;
  if (node->type == RH_TYPE_f64) facts |= RH_EXPR_USES_F64;
  return is_equality ? facts | RH_EXPR_COMPARES_EQUAL : facts;
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
  node->facts |= own_facts(node);
  if (node->kind == RH_NODE_VARIABLE) node->variables = UINT64_C(1) << node->number;
  for (uint32_t k = 0; k < node->arity; k++) {
    node->facts |= nodes[node->args[k]].facts;
    node->variables |= nodes[node->args[k]].variables;
  }
  node->error = error_of(nodes, node);
}

/* ---- Of outputs ---- */

uint32_t rh_exprs_count(const rh_exprs *exprs) { return exprs->n_outputs; }

static const rh_node *output_of(const rh_exprs *exprs, uint32_t output) {
  return &exprs->nodes[exprs->outputs[output]];
}

rh_type rh_exprs_type(const rh_exprs *exprs, uint32_t output) {
  return output_of(exprs, output)->type;
}

uint32_t rh_exprs_facts(const rh_exprs *exprs, uint32_t output) {
  uint32_t facts = 0;
  for (uint32_t k = 0; k < exprs->n_outputs; k++)
    if (output == k || output == RH_EXPRS_ALL) facts |= output_of(exprs, k)->facts;
  return facts;
}

uint64_t rh_exprs_variables(const rh_exprs *exprs, uint32_t output) {
  uint64_t variables = 0;
  for (uint32_t k = 0; k < exprs->n_outputs; k++)
    if (output == k || output == RH_EXPRS_ALL) variables |= output_of(exprs, k)->variables;
  return variables;
}

double rh_exprs_error(const rh_exprs *exprs) { return output_of(exprs, 0)->error; }

uint32_t rh_exprs_literals(const rh_exprs *exprs, double *list, uint32_t most) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < exprs->n_nodes && n < most; k++)
    if (exprs->nodes[k].is_live && exprs->nodes[k].kind == RH_NODE_LITERAL)
      list[n++] = rh_number_at(exprs->nodes[k].type, &exprs->nodes[k].value, 0);
  return n;
}

int rh_exprs_count_slot(const rh_exprs *exprs) {
  for (uint32_t k = 0; k < exprs->n_slots; k++)
    if (exprs->slots[k].constant == RH_EXPR_COUNT) return (int)k;
  return -1;
}

uint32_t rh_exprs_constants_size(const rh_exprs *exprs) { return 8 * exprs->n_slots; }

uint32_t rh_exprs_constant_types(const rh_exprs *exprs, uint32_t constant) {
  uint32_t types = 0;
  for (uint32_t k = 0; k < exprs->n_slots; k++)
    if (exprs->slots[k].constant == constant) types |= 1u << exprs->slots[k].type;
  return types;
}

/* ---- Expressions that are simple enough for loops of their own ---- */

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
    if (exprs->variables[j].type != RH_TYPE_f32) return 0;
  if (node->kind != RH_NODE_CAST || node->type != RH_TYPE_f64) return 0;
  return take_variable(&exprs->nodes[node->args[0]], variable);
}

static int is_difference(const rh_exprs *exprs, uint32_t k, uint32_t variables[2]) {
  const rh_node *node = &exprs->nodes[k];
  return node->kind == RH_NODE_SUBTRACT && rh_type_is_float(node->type) &&
         take_variables(exprs, node, variables);
}

uint32_t rh_exprs_form(const rh_exprs *exprs, uint32_t variables[2]) {
  const rh_node *node = output_of(exprs, 0);
  variables[0] = variables[1] = 0;
  if (take_variable(node, &variables[0])) return RH_FORM_ELEMENT;
  if (take_wide(exprs, exprs->outputs[0], &variables[0])) {
    variables[1] = variables[0];
    return RH_FORM_ELEMENT;
  }
  if (rh_node_calls(node, "fabs") && is_difference(exprs, node->args[0], variables))
    return RH_FORM_DISTANCE;
  if (node->kind != RH_NODE_MULTIPLY || !rh_type_is_float(node->type)) return RH_FORM_OTHER;
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
  for (; node->kind == RH_NODE_CAST && rh_type_is_float(node->type); node = inner) {
    inner = &exprs->nodes[node->args[0]];
    if (rh_type_is_float(inner->type) && rh_type_size(node->type) < rh_type_size(inner->type))
      return NULL;
  }
  return node->kind == RH_NODE_VARIABLE ? node : NULL;
}

int rh_exprs_is_element(const rh_exprs *exprs) {
  const rh_node *variable = variable_in(exprs, exprs->outputs[0]);
  return exprs->n_outputs == 1 && variable && rh_type_is_float(variable->of);
}

int rh_exprs_is_quotient(const rh_exprs *exprs) {
  const rh_node *node = output_of(exprs, 0);
  if (exprs->n_outputs != 1 || node->kind != RH_NODE_DIVIDE || !rh_type_is_float(node->type))
    return 0;
  const rh_node *a = variable_in(exprs, node->args[0]), *n = variable_in(exprs, node->args[1]);
  return a && n && a->number == 0 && n->number == 1;
}

rh_type rh_exprs_variable_of(const rh_exprs *exprs, uint32_t output, uint32_t *variable) {
  const rh_node *node = output_of(exprs, output);
  if (node->kind == RH_NODE_CAST) node = &exprs->nodes[node->args[0]];
  if (node->kind != RH_NODE_VARIABLE) return 0;
  *variable = node->number;
  return node->of;
}

int rh_exprs_output_adds(const rh_exprs *exprs, uint32_t output, uint32_t a, uint32_t b) {
  const rh_node *node = output_of(exprs, output);
  uint32_t of[2];
  return node->kind == RH_NODE_ADD && take_variables(exprs, node, of) &&
         ((of[0] == a && of[1] == b) || (of[0] == b && of[1] == a));
}
