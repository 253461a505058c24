/* All values that a device may compute.  In a block, what no function with an error is part of is
 * evaluated as ever, and everything else in intervals.  This file is compiled with
 * -ffp-contract=off. */
#include "internal.h"

static const rh_interval unknown = {(double)NAN, (double)NAN};

static int is_known(rh_interval a) { return a.low <= a.high; }

static int is_point(rh_interval a) { return a.low == a.high; }

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

/* Of integers; INT64_MAX and UINT64_MAX are rounded. */
rh_interval rh_type_interval(rh_type type) {
  if (rh_type_is_float(type)) return unknown;
  int bits = 8 * (int)rh_type_size(type), is_signed = rh_type_is_signed(type);
  return (rh_interval){is_signed ? -ldexp(1, bits - 1) : 0, ldexp(1, bits - is_signed) - 1};
}

/* GCC 12 leaves the rounding out where it makes vectors of two of these. */
__attribute__((noinline)) static double round_to_f32(double x) { return (double)(float)x; }

/* A float is rounded; an integer that may have wrapped is not known. */
static rh_interval of_type(rh_type type, rh_interval a) {
  if (!is_known(a) || type == RH_TYPE_f64) return a;
  if (type == RH_TYPE_f32) return (rh_interval){round_to_f32(a.low), round_to_f32(a.high)};
  rh_interval range = rh_type_interval(type);
  double most = 0x1p53; /* larger ones are not exact here */
  return a.low >= fmax(range.low, -most) && a.high <= fmin(range.high, most) ? a : unknown;
}

/* A float that is cast to an integer saturates. */
static rh_interval cast(const rh_node *node, rh_interval a) {
  if (!rh_type_is_float(node->of) || rh_type_is_float(node->type)) return of_type(node->type, a);
  if (!is_known(a)) return unknown;
  rh_interval range = rh_type_interval(node->type);
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

/* Of integers that are not negative; a division by 0 gives 0. */
static rh_interval part(rh_node_kind kind, rh_type type, rh_interval a, rh_interval b) {
  int mask = 8 * (int)rh_type_size(type) - 1;
  if (!(a.low >= 0 && b.low >= 0)) return unknown;
  switch (kind) {
  case RH_NODE_DIVIDE:
    return (rh_interval){b.low > 0 ? trunc(a.low / b.high) : 0,
                         b.low > 0 ? trunc(a.high / b.low) : a.high};
  case RH_NODE_REMAINDER: return (rh_interval){0, fmin(a.high, fmax(b.high - 1, 0))};
  case RH_NODE_RIGHT:
    if (!is_point(b)) return (rh_interval){0, a.high};
    return (rh_interval){trunc(ldexp(a.low, -((int)b.low & mask))),
                         trunc(ldexp(a.high, -((int)b.low & mask)))};
  default: return (rh_interval){0, fmin(a.high, b.high)}; /* AND */
  }
}

static rh_interval choose(rh_interval condition, rh_interval a, rh_interval b) {
  if (condition.low > 0 || condition.high < 0) return a;
  if (condition.low == 0 && condition.high == 0) return b;
  return hull(a, b);
}

/* Of truths.  Of other integers only `and` is known. */
static rh_interval join(const rh_node *node, rh_interval a, rh_interval b) {
  int are_truths = a.low >= 0 && a.high <= 1 && b.low >= 0 && b.high <= 1;
  if (node->kind == RH_NODE_AND && are_truths) return (rh_interval){a.low * b.low, a.high * b.high};
  if (node->kind == RH_NODE_AND) return part(node->kind, node->type, a, b);
  return are_truths ? (rh_interval){fmax(a.low, b.low), fmax(a.high, b.high)} : unknown;
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

/* Between the values at all corners, which is right of what is monotonic in each argument. */
static rh_interval corners(const rh_node *node, rh_interval a, rh_interval b, rh_interval c) {
  rh_interval all = unknown;
  for (int k = 0; k < 1 << node->arity; k++) {
    double one = call(node, k & 1 ? a.high : a.low, k & 2 ? b.high : b.low, k & 4 ? c.high : c.low);
    all = k ? hull(all, (rh_interval){one, one}) : (rh_interval){one, one};
  }
  return all;
}

static rh_interval magnitude(rh_interval a) {
  rh_interval ends = span(fabs(a.low), fabs(a.high));
  return a.low <= 0 && a.high >= 0 ? (rh_interval){0, ends.high} : ends;
}

/* sin and cos: the slope of both is at most 1. */
static rh_interval wave(const rh_node *node, rh_interval a) {
  double value = call(node, a.low, 0, 0), width = (a.high - a.low) * (1 + 0x1p-20);
  if (isnan(value) || !isfinite(width)) return unknown;
  return (rh_interval){fmax(value - width, -1), fmin(value + width, 1)};
}

/* The others of one argument are monotonic; tan is between two poles, where it grows. */
static rh_interval of_one(const rh_node *node, rh_interval a) {
  if (rh_node_calls(node, "fabs")) return magnitude(a);
  if (rh_node_calls(node, "cosh")) a = magnitude(a);
  if (rh_node_calls(node, "rsqrt") && !(a.low > 0)) return unknown;
  if (is_point(a)) {
    double value = call(node, a.low, 0, 0);
    return span(value, value);
  }
  if (rh_node_calls(node, "sin") || rh_node_calls(node, "cos")) return wave(node, a);
  if (rh_node_calls(node, "tan") &&
      !(call(node, a.low, 0, 0) < call(node, a.high, 0, 0) && a.high - a.low < 3))
    return unknown;
  return corners(node, a, a, a);
}

static rh_interval of_two(const rh_node *node, rh_interval a, rh_interval b) {
  int is_monotonic = is_point(a) && is_point(b);
  if (rh_node_calls(node, "hypot")) return corners(node, magnitude(a), magnitude(b), b);
  if (rh_node_calls(node, "copysign")) {
    rh_interval size = magnitude(a);
    if (b.low > 0) return size;
    return b.high < 0 ? (rh_interval){-size.high, -size.low} : (rh_interval){-size.high, size.high};
  }
  if (rh_node_calls(node, "atan2")) /* y, x: not across its jump, and not around 0 */
    is_monotonic |= b.low > 0 || a.low > 0 || a.high < 0;
  if (rh_node_calls(node, "pow")) is_monotonic |= a.low > 0;
  return is_monotonic ? corners(node, a, b, b) : unknown;
}

static rh_interval of_call(const rh_node *node, const rh_interval *args) {
  for (uint32_t k = 0; k < node->arity; k++)
    if (!is_known(args[k])) return unknown;
  rh_interval value = node->arity == 1   ? of_one(node, args[0])
                      : node->arity == 2 ? of_two(node, args[0], args[1])
                                         : corners(node, args[0], args[1], args[2]);
  /* Other functions err as this host's may; and an ulp is for rounding. */
  double unit = node->type == RH_TYPE_f32 ? 0x1p-23 : 0x1p-52;
  if (node->function->ulp == 0) return value;
  return rh_interval_widen(node->type, 2 * (node->function->ulp + 1) * unit, value);
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
  if (rh_node_compares(node->kind)) return compare(node->kind, a, b);
  switch (node->kind) {
  case RH_NODE_CAST: return cast(node, a);
  case RH_NODE_NARROW: return narrow(node, a);
  case RH_NODE_NEGATE: return of_type(node->type, (rh_interval){-a.high, -a.low});
  case RH_NODE_ADD: return of_type(node->type, span(a.low + b.low, a.high + b.high));
  case RH_NODE_SUBTRACT: return of_type(node->type, span(a.low - b.high, a.high - b.low));
  case RH_NODE_MULTIPLY: return of_type(node->type, multiply(a, b));
  case RH_NODE_DIVIDE:
    if (rh_type_is_float(node->type)) return of_type(node->type, divide(a, b));
    return part(node->kind, node->type, a, b);
  case RH_NODE_REMAINDER:
  case RH_NODE_RIGHT: return part(node->kind, node->type, a, b);
  case RH_NODE_AND:
  case RH_NODE_OR: return join(node, a, b);
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

/* ---- Elements ---- */

enum { MOST_INTERVALS = 256 }; /* nodes: more take long */

/* Integers of 64 bits may lie between doubles. */
static rh_interval point(rh_type type, const void *from, uint64_t j) {
  double x = rh_number_at(type, from, j);
  int is_wide = type == RH_TYPE_i64 || type == RH_TYPE_u64;
  return is_wide ? rh_interval_around(x) : (rh_interval){x, x};
}

static int needs_interval(const rh_exprs *exprs, uint32_t k) {
  return exprs->nodes[k].is_live && exprs->nodes[k].facts & RH_EXPR_ERRS;
}

typedef rh_interval block[RH_ENCLOSED_MOST];

static rh_interval at(const rh_evaluation *e, const block *values, uint32_t k, uint64_t j) {
  if (needs_interval(e->exprs, k)) return values[k][j];
  return point(e->exprs->nodes[k].type, e->places[k], j);
}

/* Node by node, because the room of a node's values is another one's after their last use. */
static void enclose(const rh_evaluation *e, block *values, uint64_t first, uint64_t n) {
  const rh_exprs *exprs = e->exprs;
  for (uint32_t k = 0; k < exprs->n_order; k++) {
    uint32_t which = exprs->order[k];
    const rh_node *node = &exprs->nodes[which];
    if (!needs_interval(exprs, which)) rh_eval_node(e, which, first, 0, n);
    for (uint64_t j = 0; j < n && needs_interval(exprs, which); j++) {
      rh_interval of[3] = {{0, 0}, {0, 0}, {0, 0}};
      for (uint32_t m = 0; m < node->arity; m++)
        of[m] = at(e, (const block *)values, node->args[m], j);
      values[which][j] = interval_of(node, of);
    }
  }
}

int rh_exprs_enclose(const rh_exprs *exprs, uint32_t k, const void *const *variables,
                     uint64_t first, uint64_t n, const void *constants, double *low, double *high) {
  const size_t room_bytes = (size_t)RH_EVAL_NUMBER_BYTES * RH_ENCLOSED_MOST;
  const void *places[exprs->n_nodes + 1];
  void *outputs[RH_EXPR_MOST_OUTPUTS];
  uint32_t n_intervals = 0, n_rooms = exprs->rooms + 1 + exprs->n_outputs;
  for (uint32_t j = 0; j < exprs->n_nodes; j++) n_intervals += (uint32_t)needs_interval(exprs, j);
  if (n_intervals > MOST_INTERVALS || n > RH_ENCLOSED_MOST) return -1;
  RH_FREED(unsigned char) rooms = aligned_alloc(64, n_rooms * room_bytes);
  RH_FREED(block) values = malloc(((size_t)exprs->n_nodes + 1) * sizeof *values);
  const rh_evaluation e = {exprs, variables, constants, outputs, rooms, room_bytes, places};
  if (!rooms || !values) return -1;
  for (uint32_t j = 0; j < exprs->n_outputs; j++)
    outputs[j] = rooms + (exprs->rooms + 1 + j) * room_bytes;
  enclose(&e, values, first, n);
  for (uint64_t j = 0; j < n; j++) {
    rh_interval output = at(&e, (const block *)values, exprs->outputs[k], j);
    low[j] = output.low;
    high[j] = output.high;
  }
  return 0;
}

void rh_exprs_intervals(const rh_exprs *exprs, const rh_interval *variables, uint64_t n,
                        const rh_scalar *constants, rh_interval *values) {
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    const rh_node *node = &exprs->nodes[k];
    rh_interval args[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (!node->is_live) continue;
    for (uint32_t m = 0; m < node->arity; m++) args[m] = values[node->args[m]];
    if (node->arity) values[k] = interval_of(node, args);
    else if (node->kind == RH_NODE_INDEX) values[k] = (rh_interval){0, (double)n - 1};
    else if (node->kind == RH_NODE_VARIABLE)
      values[k] = variables ? variables[node->number] : rh_type_interval(node->of);
    else {
      int is_slot = node->kind == RH_NODE_CONSTANT;
      const void *from = is_slot ? (const void *)&constants[node->slot] : &node->value;
      double x = rh_number_at(node->type, from, 0);
      values[k] = variables ? point(node->type, from, 0) : (rh_interval){x, x};
    }
    if (!variables && isnan(values[k].low)) values[k] = rh_type_interval(node->type);
  }
}

rh_interval rh_exprs_enclose_one(const rh_exprs *exprs, uint32_t k, const rh_interval *variables,
                                 const void *constants) {
  rh_interval values[exprs->n_nodes + 1];
  rh_exprs_intervals(exprs, variables, 1, constants, values);
  return values[exprs->outputs[k]];
}
