/* The functions of OpenCL C that expressions may call. */
#include "../../core/base/vocabulary.h"
#include "number.h"

#include <math.h>
#include <string.h>

#define ONE(name, exact, ulp32, ulp64)                                                             \
  {#name, 1, exact, {ulp32, ulp64}, name##f, name, NULL, NULL, NULL, NULL},
#define TWO(name, exact, ulp32, ulp64)                                                             \
  {#name, 2, exact, {ulp32, ulp64}, NULL, NULL, name##f, name, NULL, NULL},
#define THREE(name, exact, ulp32, ulp64)                                                           \
  {#name, 3, exact, {ulp32, ulp64}, NULL, NULL, NULL, NULL, name##f, name},

/* rsqrt and exp10 are not C's. */
static float rsqrtf(float x) {
  return (float)(1 / sqrt((double)x));
}
static double rsqrt(double x) {
  return 1 / sqrt(x);
}

/* The C library's own may err by 4 ulp. */
static double cbrt_of_long(double x) {
  return (double)cbrtl((long double)x);
}

/* Errors: OpenCL C 3.0, tables of 7.4, full profile.  sqrt and the division of f32 are correctly
 * rounded: devices that can are told to. */
static const rh_function functions[] = {
    ONE(fabs, 1, 0, 0) ONE(floor, 1, 0, 0) ONE(ceil, 1, 0, 0) ONE(trunc, 1, 0, 0) ONE(rint, 1, 0, 0)
        ONE(round, 1, 0, 0) ONE(sqrt, 1, 0, 0)
            ONE(rsqrt, 0, 2, 2){"cbrt", 1, 0, {2, 2}, cbrtf, cbrt_of_long, NULL, NULL, NULL, NULL},
    ONE(exp, 0, 3, 3) ONE(exp2, 0, 3, 3) ONE(exp10, 0, 3, 3) ONE(expm1, 0, 3, 3) ONE(log, 0, 3, 3)
        ONE(log2, 0, 3, 3) ONE(log10, 0, 3, 3) ONE(log1p, 0, 2, 2) ONE(sin, 0, 4, 4)
            ONE(cos, 0, 4, 4) ONE(tan, 0, 5, 5) ONE(asin, 0, 4, 4) ONE(acos, 0, 4, 4)
                ONE(atan, 0, 5, 5) ONE(sinh, 0, 4, 4) ONE(cosh, 0, 4, 4) ONE(tanh, 0, 5, 5)
                    ONE(asinh, 0, 4, 4) ONE(acosh, 0, 4, 4) ONE(atanh, 0, 5, 5) ONE(erf, 0, 16, 16)
                        ONE(erfc, 0, 16, 16) TWO(pow, 0, 16, 16) TWO(atan2, 0, 6, 6)
                            TWO(hypot, 0, 4, 4) TWO(fmod, 1, 0, 0) TWO(copysign, 1, 0, 0)
                                THREE(fma, 1, 0, 0)};

static int is_named(const char *wanted, size_t length, const char *name) {
  return strlen(name) == length && memcmp(wanted, name, length) == 0;
}

static const rh_function *find_function(const char *name, size_t length) {
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (is_named(name, length, functions[k].name)) return &functions[k];
  return NULL;
}

/* ---- Calls ---- */

static int is_float(const rh_exprs *exprs, uint32_t node) {
  rh_type type = exprs->nodes[node].type;
  return type == RH_TYPE_f32 || type == RH_TYPE_f64;
}

/* One type of float for all arguments; integers become f64. */
static rh_reason to_floats(rh_exprs *exprs, uint32_t *args, uint32_t n) {
  rh_type type = RH_TYPE_f32;
  int any = 0;
  for (uint32_t k = 0; k < n; k++) {
    const rh_node *node = &exprs->nodes[args[k]];
    if (node->is_weak) {
      if (!rh_number_fits(rh_graph_value(exprs, args[k]), RH_TYPE_f32)) type = RH_TYPE_f64;
      continue;
    }
    any = 1;
    if (node->type != RH_TYPE_f32) type = RH_TYPE_f64;
  }
  if (!any) type = RH_TYPE_f64;
  for (uint32_t k = 0; k < n; k++) {
    rh_reason reason = rh_graph_convert(exprs, args[k], type, &args[k]);
    if (reason) return reason;
  }
  return NULL;
}

static rh_reason call(rh_exprs *exprs, const rh_function *function, uint32_t *args,
                      uint32_t *made) {
  rh_reason reason = to_floats(exprs, args, function->n_args);
  if (reason) return reason;
  rh_node node = {.kind = RH_NODE_CALL, .type = exprs->nodes[args[0]].type, .function = function};
  memcpy(node.args, args, function->n_args * sizeof *args);
  return rh_graph_add(exprs, &node, made);
}

static rh_reason literal(rh_exprs *exprs, double value, rh_type type, uint32_t *made) {
  return rh_graph_literal(exprs, (rh_expr_value){.is_float = 1, .as = {.f = value}}, type, made);
}

/* ---- Those that are written out: the same on host and device by construction ----
 *
 * `which` tells functions of one form apart: the kind, the type, or whether the least is meant. */

/* b < a ? b : a, or a < b ? b : a */
static rh_reason extreme(rh_exprs *exprs, int is_least, uint32_t a, uint32_t b, uint32_t *made) {
  uint32_t takes_b;
  rh_reason reason =
      rh_graph_binary(exprs, RH_NODE_LESS, is_least ? b : a, is_least ? a : b, &takes_b);
  return reason ? reason : rh_graph_choose(exprs, takes_b, b, a, made);
}

static rh_reason make_extreme(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  return extreme(exprs, (int)which, args[0], args[1], made);
}

static rh_reason make_clamp(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  uint32_t above;
  (void)which;
  rh_reason reason = extreme(exprs, 0, args[0], args[1], &above);
  return reason ? reason : extreme(exprs, 1, above, args[2], made);
}

static rh_reason make_isnan(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  (void)which;
  rh_reason reason = to_floats(exprs, args, 1);
  return reason ? reason : rh_graph_binary(exprs, RH_NODE_UNEQUAL, args[0], args[0], made);
}

/* |x| against infinity. */
static rh_reason by_infinity(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  uint32_t size, infinity;
  rh_reason reason = call(exprs, find_function("fabs", 4), args, &size);
  if (!reason) reason = literal(exprs, (double)INFINITY, exprs->nodes[size].type, &infinity);
  return reason ? reason : rh_graph_binary(exprs, (rh_node_kind)which, size, infinity, made);
}

/* The other one if one is NaN. */
static rh_reason of_numbers(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  uint32_t no_a, no_b, best;
  rh_reason reason = to_floats(exprs, args, 2);
  if (!reason) reason = extreme(exprs, (int)which, args[0], args[1], &best);
  if (!reason) reason = make_isnan(exprs, 0, &args[1], &no_b);
  if (!reason) reason = rh_graph_choose(exprs, no_b, args[0], best, &best);
  if (!reason) reason = make_isnan(exprs, 0, &args[0], &no_a);
  return reason ? reason : rh_graph_choose(exprs, no_a, args[1], best, made);
}

/* -1, 0 or 1; of floats a zero keeps its sign, and NaN gives 0. */
static rh_reason make_sign(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  (void)which;
  uint32_t zero, one, minus, is_above, is_below, is_zero;
  rh_reason reason = rh_graph_settle(exprs, args[0], &args[0]);
  if (reason) return reason;
  rh_type type = exprs->nodes[args[0]].type;
  reason = literal(exprs, 0, type, &zero);
  if (!reason) reason = rh_graph_literal(exprs, (rh_expr_value){.as = {.i = 1}}, type, &one);
  if (!reason) reason = rh_graph_literal(exprs, (rh_expr_value){.as = {.i = -1}}, type, &minus);
  if (!reason) reason = rh_graph_binary(exprs, RH_NODE_EQUAL, args[0], zero, &is_zero);
  if (!reason) reason = rh_graph_binary(exprs, RH_NODE_LESS, args[0], zero, &is_below);
  if (!reason) reason = rh_graph_binary(exprs, RH_NODE_LESS, zero, args[0], &is_above);
  if (!reason) reason = rh_graph_choose(exprs, is_zero, args[0], zero, &zero);
  if (!reason) reason = rh_graph_choose(exprs, is_below, minus, zero, &zero);
  return reason ? reason : rh_graph_choose(exprs, is_above, one, zero, made);
}

/* The magnitude of a signed integer is unsigned, and so right for the least one, too.  It is the
 * lesser of x and -x, as unsigned numbers: NVIDIA's driver 580 takes what `x < 0 ? -x : x` makes of
 * the least integer for a negative number. */
static rh_reason make_abs(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made) {
  (void)which;
  uint32_t minus;
  rh_reason reason = rh_graph_settle(exprs, args[0], &args[0]);
  if (reason) return reason;
  rh_type type = exprs->nodes[args[0]].type;
  if (is_float(exprs, args[0])) return call(exprs, find_function("fabs", 4), args, made);
  *made = args[0];
  if (!rh_type_is_signed(type)) return NULL;
  reason = rh_graph_convert(exprs, args[0], type == RH_TYPE_i64 ? RH_TYPE_u64 : RH_TYPE_u32, made);
  if (!reason) reason = rh_graph_unary(exprs, RH_NODE_NEGATE, *made, &minus);
  return reason ? reason : extreme(exprs, 1, *made, minus, made);
}

/* The same bits as another type. */
static rh_reason make_as(rh_exprs *exprs, uint32_t type, uint32_t *args, uint32_t *made) {
  rh_reason reason = rh_graph_settle(exprs, args[0], &args[0]);
  if (reason) return reason;
  rh_type of = exprs->nodes[args[0]].type;
  if (rh_type_size(of) != rh_type_size(type)) return "the two types have different sizes";
  *made = args[0];
  if (of == type) return NULL;
  rh_node node = {.kind = RH_NODE_BITS, .type = type, .of = of, .args = {args[0]}};
  return rh_graph_add(exprs, &node, made);
}

/* ---- By name ---- */

typedef struct written_out {
  const char *name;
  uint32_t n_args;
  rh_reason (*make)(rh_exprs *exprs, uint32_t which, uint32_t *args, uint32_t *made);
  uint32_t which;
} written_out;
static const written_out written[] = {
    {"min", 2, make_extreme, 1},
    {"max", 2, make_extreme, 0},
    {"clamp", 3, make_clamp, 0},
    {"fmin", 2, of_numbers, 1},
    {"fmax", 2, of_numbers, 0},
    {"isnan", 1, make_isnan, 0},
    {"isinf", 1, by_infinity, RH_NODE_EQUAL},
    {"isfinite", 1, by_infinity, RH_NODE_LESS},
    {"sign", 1, make_sign, 0},
    {"abs", 1, make_abs, 0},
    {"as_int", 1, make_as, RH_TYPE_i32},
    {"as_uint", 1, make_as, RH_TYPE_u32},
    {"as_long", 1, make_as, RH_TYPE_i64},
    {"as_ulong", 1, make_as, RH_TYPE_u64},
    {"as_float", 1, make_as, RH_TYPE_f32},
    {"as_double", 1, make_as, RH_TYPE_f64},
};

static int has_number(uint32_t n, uint32_t wanted, rh_reason *reason) {
  static const char *const reasons[] = {"", "the function takes one argument",
                                        "the function takes two arguments",
                                        "the function takes three arguments"};
  *reason = n == wanted ? NULL : reasons[wanted];
  return n == wanted;
}

int rh_graph_call_named(rh_exprs *exprs, const char *name, size_t length, const uint32_t *given,
                        uint32_t n, uint32_t *made, rh_reason *reason) {
  uint32_t args[3] = {0};
  memcpy(args, given, (n < 3 ? n : 3) * sizeof *args);
  const rh_function *function = find_function(name, length);
  if (function) {
    if (has_number(n, function->n_args, reason)) *reason = call(exprs, function, args, made);
    return 1;
  }
  for (size_t k = 0; k < sizeof written / sizeof *written; k++) {
    const written_out *row = &written[k];
    if (!is_named(name, length, row->name)) continue;
    if (has_number(n, row->n_args, reason)) *reason = row->make(exprs, row->which, args, made);
    return 1;
  }
  return 0;
}
