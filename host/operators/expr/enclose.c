/* All values that a device may compute.  In a block, what no function with an error is part of is
 * evaluated as ever, and everything else in intervals.  This file is compiled with
 * -ffp-contract=off. */
#include "../../core/base/half.h"
#include "../../core/base/value.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/operator.h"
#include "eval.h"

#include <math.h>
#include <stdlib.h>

static const rh_interval unknown = {(double)NAN, (double)NAN};

static int is_known(rh_interval a) {
  return a.low <= a.high;
}

static int is_point(rh_interval a) {
  return a.low == a.high;
}

rh_interval rh_interval_around(double x) {
  if (fabs(x) < 0x1p53) return (rh_interval){x, x};
  return (rh_interval){nextafter(x, -(double)INFINITY), nextafter(x, (double)INFINITY)};
}

static rh_interval span(double a, double b) {
  if (isnan(a) || isnan(b)) return unknown;
  return (rh_interval){fmin(a, b), fmax(a, b)};
}

static rh_interval hull(rh_interval a, rh_interval b) {
  if (!is_known(a) || !is_known(b)) return unknown;
  return (rh_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* ---- Numbers of a type ---- */

static rh_interval range_of(rh_type type) {
  switch (type) {
  case RH_TYPE_i8: return (rh_interval){INT8_MIN, INT8_MAX};
  case RH_TYPE_u8: return (rh_interval){0, UINT8_MAX};
  case RH_TYPE_i16: return (rh_interval){INT16_MIN, INT16_MAX};
  case RH_TYPE_u16: return (rh_interval){0, UINT16_MAX};
  case RH_TYPE_i32: return (rh_interval){INT32_MIN, INT32_MAX};
  case RH_TYPE_u32: return (rh_interval){0, UINT32_MAX};
  case RH_TYPE_i64: return (rh_interval){-0x1p63, 0x1p63};
  default: return (rh_interval){0, 0x1p64};
  }
}

/* GCC 12 leaves the rounding out where it makes vectors of two of these. */
__attribute__((noinline)) static double round_to_f32(double x) {
  return (double)(float)x;
}

/* A float is rounded; an integer that may have wrapped is not known. */
static rh_interval of_type(rh_type type, rh_interval a) {
  if (!is_known(a) || type == RH_TYPE_f64) return a;
  if (type == RH_TYPE_f32) return (rh_interval){round_to_f32(a.low), round_to_f32(a.high)};
  rh_interval range = range_of(type);
  double most = 0x1p53; /* larger ones are not exact here */
  return a.low >= fmax(range.low, -most) && a.high <= fmin(range.high, most) ? a : unknown;
}

/* A float that is cast to an integer saturates. */
static rh_interval cast(const rh_node *node, rh_interval a) {
  if (!rh_type_is_float(node->of) || rh_type_is_float(node->type)) return of_type(node->type, a);
  if (!is_known(a)) return unknown;
  rh_interval range = range_of(node->type);
  return (rh_interval){fmin(fmax(trunc(a.low), range.low), range.high),
                       fmax(fmin(trunc(a.high), range.high), range.low)};
}

static rh_interval narrow(const rh_node *node, rh_interval a) {
  if (node->of != RH_TYPE_f16) return of_type(node->of, a);
  if (!is_known(a)) return unknown;
  return (rh_interval){(double)rh_half_to_float(rh_half_from_float((float)a.low)),
                       (double)rh_half_to_float(rh_half_from_float((float)a.high))};
}

/* ---- Operators ---- */

static rh_interval multiply(rh_interval a, rh_interval b) {
  return hull(span(a.low * b.low, a.high * b.high), span(a.low * b.high, a.high * b.low));
}

static rh_interval divide(rh_interval a, rh_interval b) {
  if (!(b.low > 0 || b.high < 0)) return unknown;
  return hull(span(a.low / b.low, a.high / b.high), span(a.low / b.high, a.high / b.low));
}

static rh_interval truth(int surely, int surely_not) {
  return (rh_interval){surely ? 1 : 0, surely_not ? 0 : 1};
}

static rh_interval compare(rh_node_kind kind, rh_interval a, rh_interval b) {
  int apart = a.high < b.low || b.high < a.low, same = is_point(a) && is_point(b) && a.low == b.low;
  switch (kind) {
  case RH_NODE_LESS: return truth(a.high < b.low, a.low >= b.high);
  case RH_NODE_AT_MOST: return truth(a.high <= b.low, a.low > b.high);
  case RH_NODE_EQUAL: return truth(same, apart);
  default: return truth(apart, same);
  }
}

static rh_interval choose(rh_interval condition, rh_interval a, rh_interval b) {
  if (condition.low > 0 || condition.high < 0) return a;
  if (condition.low == 0 && condition.high == 0) return b;
  return hull(a, b);
}

/* Of truths; of other integers nothing is known. */
static rh_interval join(rh_node_kind kind, rh_interval a, rh_interval b) {
  int are_truths = a.low >= 0 && a.high <= 1 && b.low >= 0 && b.high <= 1;
  if (!are_truths) return unknown;
  if (kind == RH_NODE_AND) return (rh_interval){a.low * b.low, a.high * b.high};
  return (rh_interval){fmax(a.low, b.low), fmax(a.high, b.high)};
}

/* ---- Functions ---- */

static double call(const rh_node *node, double x, double y, double z) {
  const rh_function *f = node->function;
  float narrow[] = {(float)x, (float)y, (float)z}, in_f32;
  double in_f64;
  if (node->type == RH_TYPE_f32) {
    f->of[0](&in_f32, &narrow[0], &narrow[1], &narrow[2], 1);
    return (double)in_f32;
  }
  f->of[1](&in_f64, &x, &y, &z, 1);
  return in_f64;
}

rh_interval rh_interval_widen(rh_type type, double part, rh_interval a) {
  int is_narrow = type == RH_TYPE_f32;
  double tiny = is_narrow ? 0x1p-126 : 0x1p-1022;
  double largest = is_narrow ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
  if (!is_known(a)) return unknown;
  double low = fmin(fmax(a.low, -largest), largest), high = fmin(fmax(a.high, -largest), largest);
  low -= part * fmax(fabs(low), tiny);
  high += part * fmax(fabs(high), tiny);
  /* Instead of the largest number a device may have infinity. */
  if (low < -largest) low = -(double)INFINITY;
  if (high > largest) high = (double)INFINITY;
  return of_type(type, (rh_interval){low, high});
}

/* Between the function's values on this host, which errs as others may; and an ulp for rounding. */
static rh_interval widen(const rh_node *node, rh_interval a) {
  double unit = node->type == RH_TYPE_f32 ? 0x1p-23 : 0x1p-52;
  return rh_interval_widen(node->type, 2 * (node->function->ulp + 1) * unit, a);
}

static rh_interval ends(const rh_node *node, rh_interval a) {
  return span(call(node, a.low, 0, 0), call(node, a.high, 0, 0));
}

/* The slope of both is at most 1. */
static rh_interval wave(const rh_node *node, rh_interval a) {
  double value = call(node, a.low, 0, 0), width = (a.high - a.low) * (1 + 0x1p-20);
  if (isnan(value) || !isfinite(width)) return unknown;
  return (rh_interval){fmax(value - width, -1), fmin(value + width, 1)};
}

static rh_interval magnitude(rh_interval a) {
  if (!is_known(a)) return unknown;
  rh_interval ends_of = span(fabs(a.low), fabs(a.high));
  return a.low <= 0 && a.high >= 0 ? (rh_interval){0, ends_of.high} : ends_of;
}

static rh_interval of_one(const rh_node *node, rh_interval a) {
  if (!is_known(a)) return unknown;
  if (rh_node_calls(node, "fabs")) return magnitude(a);
  if (rh_node_calls(node, "cosh")) return ends(node, magnitude(a));
  if (rh_node_calls(node, "rsqrt") && !(a.low > 0)) return unknown;
  if (is_point(a)) return ends(node, a);
  if (rh_node_calls(node, "sin") || rh_node_calls(node, "cos")) return wave(node, a);
  if (rh_node_calls(node, "tan")) { /* between two poles it grows */
    int grows = call(node, a.low, 0, 0) < call(node, a.high, 0, 0);
    return grows && a.high - a.low < 3 ? ends(node, a) : unknown;
  }
  return ends(node, a); /* the others are monotonic */
}

static rh_interval corners(const rh_node *node, rh_interval a, rh_interval b) {
  return hull(span(call(node, a.low, b.low, 0), call(node, a.high, b.high, 0)),
              span(call(node, a.low, b.high, 0), call(node, a.high, b.low, 0)));
}

static rh_interval of_two(const rh_node *node, rh_interval a, rh_interval b) {
  if (!is_known(a) || !is_known(b)) return unknown;
  if (rh_node_calls(node, "hypot")) return corners(node, magnitude(a), magnitude(b));
  if (rh_node_calls(node, "copysign")) {
    rh_interval size = magnitude(a);
    if (b.low > 0) return size;
    return b.high < 0 ? (rh_interval){-size.high, -size.low} : (rh_interval){-size.high, size.high};
  }
  int is_fixed = is_point(a) && is_point(b);
  if (rh_node_calls(node, "atan2")) /* y, x: not across its jump, and not around 0 */
    return is_fixed || b.low > 0 || a.low > 0 || a.high < 0 ? corners(node, a, b) : unknown;
  if (rh_node_calls(node, "pow")) return is_fixed || a.low > 0 ? corners(node, a, b) : unknown;
  return is_fixed ? corners(node, a, b) : unknown;
}

static rh_interval of_three(const rh_node *node, rh_interval a, rh_interval b, rh_interval c) {
  rh_interval least = {call(node, a.low, b.low, c.low), call(node, a.high, b.high, c.high)};
  if (!is_known(a) || !is_known(b) || !is_known(c)) return unknown;
  least = span(least.low, least.high);
  for (int k = 0; k < 8; k++) {
    double one = call(node, k & 1 ? a.low : a.high, k & 2 ? b.low : b.high, k & 4 ? c.low : c.high);
    least = hull(least, span(one, one));
  }
  return least;
}

static rh_interval of_call(const rh_node *node, const rh_interval *args) {
  rh_interval value = node->function->n_args == 1   ? of_one(node, args[0])
                      : node->function->n_args == 2 ? of_two(node, args[0], args[1])
                                                    : of_three(node, args[0], args[1], args[2]);
  return node->function->ulp ? widen(node, value) : value;
}

/* Where an operand may be infinite or not, inf - inf may be between ends that are none. */
static int may_make_nan(const rh_node *node, const rh_interval *args) {
  int any_infinite = 0, all_points = 1;
  int is_arithmetic = node->kind >= RH_NODE_ADD && node->kind <= RH_NODE_DIVIDE;
  int is_call = node->kind == RH_NODE_CALL && node->arity > 1;
  for (uint32_t k = 0; k < node->arity; k++) {
    any_infinite |= isinf(args[k].low) || isinf(args[k].high);
    all_points &= is_point(args[k]);
  }
  return (is_arithmetic || is_call) && any_infinite && !all_points;
}

static rh_interval of_kind(const rh_node *node, const rh_interval *args) {
  rh_interval a = args[0], b = args[1];
  if (may_make_nan(node, args)) return unknown;
  int is_division = node->kind == RH_NODE_DIVIDE && rh_type_is_float(node->type);
  switch (node->kind) {
  case RH_NODE_CAST: return cast(node, a);
  case RH_NODE_NARROW: return narrow(node, a);
  case RH_NODE_NEGATE: return of_type(node->type, (rh_interval){-a.high, -a.low});
  case RH_NODE_ADD: return of_type(node->type, span(a.low + b.low, a.high + b.high));
  case RH_NODE_SUBTRACT: return of_type(node->type, span(a.low - b.high, a.high - b.low));
  case RH_NODE_MULTIPLY: return of_type(node->type, multiply(a, b));
  case RH_NODE_DIVIDE: return is_division ? of_type(node->type, divide(a, b)) : unknown;
  case RH_NODE_AND:
  case RH_NODE_OR: return join(node->kind, a, b);
  case RH_NODE_LESS:
  case RH_NODE_AT_MOST:
  case RH_NODE_EQUAL:
  case RH_NODE_UNEQUAL: return compare(node->kind, a, b);
  case RH_NODE_CHOOSE: return choose(a, b, args[2]);
  case RH_NODE_CALL: return of_call(node, args);
  default: return unknown;
  }
}

/* The interval of a node with operands, by theirs.  Rounding is monotonic, so an operation that
 * IEEE 754 fixes is done on the ends.
 *
 * atan2() and pow() ask for the sign of 0.  Integers have no negative zero, and a cast keeps the
 * sign.  A computed zero has either: its ends do not tell. */
static rh_interval interval_of(const rh_node *node, const rh_interval *args) {
  rh_interval own = of_kind(node, args);
  if (!rh_type_is_float(node->type)) return (rh_interval){own.low + 0.0, own.high + 0.0};
  if (!(own.low == 0 && own.high == 0)) return own;
  if (node->kind != RH_NODE_CAST) return (rh_interval){-0.0, 0.0};
  return (rh_interval){copysign(0, args[0].low), copysign(0, args[0].high)};
}

/* ---- Blocks ---- */

enum { MOST_INTERVALS = 256 }; /* nodes: more take long */

typedef rh_interval block[RH_ENCLOSED_MOST];

/* Numbers the nodes that need intervals, from 0; -1: evaluated.  Returns how many there are. */
static int number_nodes(const rh_exprs *exprs, int *numbers) {
  int n = 0;
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    const rh_node *node = &exprs->nodes[k];
    numbers[k] = node->is_live && node->facts & RH_EXPR_ERRS ? n++ : -1;
  }
  return n;
}

/* Integers of 64 bits may lie between doubles. */
static void take_points(rh_type type, const void *from, uint64_t n, rh_interval *to) {
  int is_wide = type == RH_TYPE_i64 || type == RH_TYPE_u64;
  for (uint64_t j = 0; j < n; j++) {
    double x = rh_number_at(type, from, j);
    to[j] = is_wide ? rh_interval_around(x) : (rh_interval){x, x};
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
    values[numbers[k]][j] = interval_of(node, of);
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
    values[j] = node->arity ? interval_of(node, of) : of_leaf(node, variables, constants);
  }
  return values[exprs->outputs[k]];
}
