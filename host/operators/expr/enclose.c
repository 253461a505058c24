/* Enclosures of a block: what no function with an error is part of is evaluated as ever, and
 * everything else in intervals. */
#include "../../core/operation/operator.h"
#include "eval.h"
#include "interval.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_INTERVALS = 256 }; /* nodes: more take long */

typedef rh_interval block[RH_ENCLOSED_MOST];

/* Numbers the nodes that need intervals, from 0; -1: evaluated.  Returns how many there are. */
static int number_nodes(const rh_exprs *exprs, int *numbers) {
  int n = 0;
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    const rh_node *node = &exprs->nodes[k];
    int errs = node->kind == RH_NODE_CALL && !node->function->is_exact;
    for (uint32_t j = 0; j < node->arity; j++) errs |= numbers[node->args[j]] >= 0;
    numbers[k] = node->is_live && errs ? n++ : -1;
  }
  return n;
}

#define POINTS(type, expression)                                                                   \
  for (uint64_t j = 0; j < n; j++) {                                                               \
    type x = ((const type *)from)[j];                                                              \
    to[j] = expression;                                                                            \
  }                                                                                                \
  return

static void take_points(rh_type type, const void *from, uint64_t n, rh_interval *to) {
  switch (type) {
  case RH_TYPE_i32: POINTS(int32_t, ((rh_interval){x, x}));
  case RH_TYPE_u32: POINTS(uint32_t, ((rh_interval){x, x}));
  case RH_TYPE_i64: POINTS(int64_t, rh_interval_around((double)x));
  case RH_TYPE_u64: POINTS(uint64_t, rh_interval_around((double)x));
  case RH_TYPE_f32: POINTS(float, ((rh_interval){(double)x, (double)x}));
  default: POINTS(double, ((rh_interval){x, x}));
  }
}

/* The intervals of an operand: its own, or those of its values. */
static const rh_interval *operand(const rh_evaluation *e, const int *numbers, const block *values,
                                  uint32_t k, uint64_t n, rh_interval *points) {
  if (numbers[k] >= 0) return values[numbers[k]];
  take_points(e->exprs->nodes[k].type, e->places[k], n, points);
  return points;
}

static void enclose_node(const rh_evaluation *e, const int *numbers, block *values, uint32_t k,
                         uint64_t n) {
  const rh_node *node = &e->exprs->nodes[k];
  block points[3];
  const rh_interval *args[3] = {points[0], points[0], points[0]};
  points[0][0] = (rh_interval){0, 0};
  for (uint32_t j = 0; j < node->arity; j++)
    args[j] = operand(e, numbers, (const block *)values, node->args[j], n, points[j]);
  for (uint64_t j = 0; j < n; j++) {
    rh_interval of[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (uint32_t m = 0; m < node->arity; m++) of[m] = args[m][j];
    values[numbers[k]][j] = rh_interval_of(node, of);
  }
}

static void enclose(const rh_evaluation *e, const int *numbers, block *values, uint64_t first,
                    uint64_t n) {
  for (uint32_t k = 0; k < e->exprs->n_order; k++) {
    uint32_t node = e->exprs->order[k];
    if (numbers[node] >= 0)
      enclose_node(e, numbers, values, node, n);
    else
      rh_eval_node(e, node, first, 0, n);
  }
}

int rh_exprs_enclose(const rh_exprs *exprs, uint32_t k, const void *const *variables,
                     uint64_t first, uint64_t n, const void *constants, double *low, double *high) {
  const size_t room_bytes = (size_t)RH_EVAL_NUMBER_BYTES * RH_ENCLOSED_MOST;
  const void *places[exprs->n_nodes + 1];
  int numbers[exprs->n_nodes + 1], n_intervals = number_nodes(exprs, numbers);
  if (n_intervals > MOST_INTERVALS || n > RH_ENCLOSED_MOST) return -1;
  unsigned char *rooms = aligned_alloc(64, (exprs->rooms + 1 + exprs->n_outputs) * room_bytes);
  block *values = malloc(((size_t)n_intervals + 1) * sizeof *values);
  void *outputs[RH_EXPR_MOST_OUTPUTS];
  const rh_evaluation e = {exprs, variables, constants, outputs, rooms, room_bytes, places};
  int failed = !rooms || !values;
  for (uint32_t j = 0; j < exprs->n_outputs; j++)
    outputs[j] = rooms + (exprs->rooms + 1 + j) * room_bytes;
  if (!failed) {
    block points;
    enclose(&e, numbers, values, first, n);
    const rh_interval *output =
        operand(&e, numbers, (const block *)values, exprs->outputs[k], n, points);
    for (uint64_t j = 0; j < n; j++) low[j] = output[j].low;
    for (uint64_t j = 0; j < n; j++) high[j] = output[j].high;
  }
  free(values);
  free(rooms);
  return failed ? -1 : 0;
}

static rh_interval of_leaf(const rh_node *node, const rh_interval *variables,
                           const rh_scalar *constants) {
  rh_interval point = {0, 0};
  const rh_scalar *value = &node->value;
  if (node->kind == RH_NODE_VARIABLE) return variables[node->number];
  if (node->kind == RH_NODE_INDEX) return point;
  if (node->kind == RH_NODE_CONSTANT) value = &constants[node->slot];
  take_points(node->type, value, 1, &point);
  return point;
}

rh_interval rh_exprs_enclose_one(const rh_exprs *exprs, uint32_t k, const rh_interval *variables,
                                 const void *constants) {
  rh_interval values[exprs->n_nodes + 1];
  for (uint32_t j = 0; j <= exprs->outputs[k]; j++) {
    const rh_node *node = &exprs->nodes[j];
    rh_interval of[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (!node->is_live) continue;
    for (uint32_t m = 0; m < node->arity; m++) of[m] = values[node->args[m]];
    values[j] = node->arity ? rh_interval_of(node, of) : of_leaf(node, variables, constants);
  }
  return values[exprs->outputs[k]];
}
