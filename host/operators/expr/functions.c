/* The functions of OpenCL C that expressions may call. */
#include "internal.h"

/* rsqrt and exp10 are not C's. */
static float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }

/* The C library's own may err by 4 ulp. */
static double cbrt_of_long(double x) { return (double)cbrtl((long double)x); }

/* X(name, of f32, of f64, arguments, error)
 * Errors: OpenCL C 3.0, tables of 7.4, full profile.  sqrt and the division of f32 are correctly
 * rounded: devices that can are told to. */
#define CALLED(X)                                                                                  \
  X(fabs, fabsf, fabs, 1, 0)                                                                       \
  X(floor, floorf, floor, 1, 0)                                                                    \
  X(ceil, ceilf, ceil, 1, 0)                                                                       \
  X(trunc, truncf, trunc, 1, 0)                                                                    \
  X(rint, rintf, rint, 1, 0)                                                                       \
  X(round, roundf, round, 1, 0)                                                                    \
  X(sqrt, sqrtf, sqrt, 1, 0)                                                                       \
  X(rsqrt, rsqrtf, rsqrt, 1, 2)                                                                    \
  X(cbrt, cbrtf, cbrt_of_long, 1, 2)                                                               \
  X(exp, expf, exp, 1, 3)                                                                          \
  X(exp2, exp2f, exp2, 1, 3)                                                                       \
  X(exp10, exp10f, exp10, 1, 3)                                                                    \
  X(expm1, expm1f, expm1, 1, 3)                                                                    \
  X(log, logf, log, 1, 3)                                                                          \
  X(log2, log2f, log2, 1, 3)                                                                       \
  X(log10, log10f, log10, 1, 3)                                                                    \
  X(log1p, log1pf, log1p, 1, 2)                                                                    \
  X(sin, sinf, sin, 1, 4)                                                                          \
  X(cos, cosf, cos, 1, 4)                                                                          \
  X(tan, tanf, tan, 1, 5)                                                                          \
  X(asin, asinf, asin, 1, 4)                                                                       \
  X(acos, acosf, acos, 1, 4)                                                                       \
  X(atan, atanf, atan, 1, 5)                                                                       \
  X(sinh, sinhf, sinh, 1, 4)                                                                       \
  X(cosh, coshf, cosh, 1, 4)                                                                       \
  X(tanh, tanhf, tanh, 1, 5)                                                                       \
  X(asinh, asinhf, asinh, 1, 4)                                                                    \
  X(acosh, acoshf, acosh, 1, 4)                                                                    \
  X(atanh, atanhf, atanh, 1, 5)                                                                    \
  X(erf, erff, erf, 1, 16)                                                                         \
  X(erfc, erfcf, erfc, 1, 16)                                                                      \
  X(pow, powf, pow, 2, 16)                                                                         \
  X(atan2, atan2f, atan2, 2, 6)                                                                    \
  X(hypot, hypotf, hypot, 2, 4)                                                                    \
  X(fmod, fmodf, fmod, 2, 0)                                                                       \
  X(copysign, copysignf, copysign, 2, 0)                                                           \
  X(fma, fmaf, fma, 3, 0)

#define OF_1 (x[j])
#define OF_2 (x[j], y[j])
#define OF_3 (x[j], y[j], z[j])
#define DEFINE(name, f32, f64, n_args, ulp)                                                        \
  RH_OPERATION(name##_of_f32, float, float, float, float, f32 OF_##n_args)                         \
  RH_OPERATION(name##_of_f64, double, double, double, double, f64 OF_##n_args)
CALLED(DEFINE)

/* ---- Calls ---- */

/* One type of float for all arguments; integers become f64. */
static void to_floats(rh_exprs *exprs, uint32_t *args, uint32_t n) {
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
  for (uint32_t k = 0; k < n; k++) args[k] = rh_graph_convert(exprs, args[k], type);
}

static uint32_t call(rh_exprs *exprs, const rh_function *function, uint32_t *args) {
  to_floats(exprs, args, function->n_args);
  rh_node node = {.kind = RH_NODE_CALL, .type = exprs->nodes[args[0]].type, .function = function};
  memcpy(node.args, args, function->n_args * sizeof *args);
  return rh_graph_add(exprs, &node);
}

static uint32_t fabs_of(rh_exprs *exprs, uint32_t *args);

static uint32_t integer(rh_exprs *exprs, int64_t value, rh_type type) {
  return rh_graph_literal(exprs, (rh_expr_value){.x = value}, type);
}

/* ---- Those that are written out: the same on host and device by construction ----
 *
 * `which` tells functions of one form apart: the kind, the type, or whether the least is meant. */

/* b < a ? b : a, or a < b ? b : a */
static uint32_t extreme(rh_exprs *exprs, int is_least, uint32_t a, uint32_t b) {
  uint32_t takes_b = rh_graph_binary(exprs, RH_NODE_LESS, is_least ? b : a, is_least ? a : b);
  return rh_graph_choose(exprs, takes_b, b, a);
}

static uint32_t make_extreme(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  return extreme(exprs, (int)self->which, args[0], args[1]);
}

static uint32_t make_clamp(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  (void)self;
  return extreme(exprs, 1, extreme(exprs, 0, args[0], args[1]), args[2]);
}

static uint32_t make_isnan(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  (void)self;
  to_floats(exprs, args, 1);
  return rh_graph_binary(exprs, RH_NODE_UNEQUAL, args[0], args[0]);
}

/* |x| against infinity. */
static uint32_t by_infinity(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  const rh_expr_value value = {1, (long double)INFINITY};
  uint32_t size = fabs_of(exprs, args);
  uint32_t infinity = rh_graph_literal(exprs, value, exprs->nodes[size].type);
  return rh_graph_binary(exprs, (rh_node_kind)self->which, size, infinity);
}

/* The other one if one is NaN. */
static uint32_t of_numbers(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  to_floats(exprs, args, 2);
  uint32_t best = make_extreme(exprs, self, args);
  uint32_t no_b = make_isnan(exprs, self, &args[1]);
  best = rh_graph_choose(exprs, no_b, args[0], best);
  uint32_t no_a = make_isnan(exprs, self, &args[0]);
  return rh_graph_choose(exprs, no_a, args[1], best);
}

/* -1, 0 or 1; of floats a zero keeps its sign, and NaN gives 0. */
static uint32_t make_sign(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  (void)self;
  uint32_t x = rh_graph_settle(exprs, args[0]);
  rh_type type = exprs->nodes[x].type;
  uint32_t zero = integer(exprs, 0, type), one = integer(exprs, 1, type);
  uint32_t minus = integer(exprs, -1, type);
  uint32_t is_zero = rh_graph_binary(exprs, RH_NODE_EQUAL, x, zero);
  uint32_t is_below = rh_graph_binary(exprs, RH_NODE_LESS, x, zero);
  uint32_t is_above = rh_graph_binary(exprs, RH_NODE_LESS, zero, x);
  uint32_t sign = rh_graph_choose(exprs, is_zero, x, zero);
  sign = rh_graph_choose(exprs, is_below, minus, sign);
  return rh_graph_choose(exprs, is_above, one, sign);
}

/* The magnitude of a signed integer is unsigned, and so right for the least one, too.  It is the
 * lesser of x and -x, as unsigned numbers: NVIDIA's driver 580 takes what `x < 0 ? -x : x` makes of
 * the least integer for a negative number. */
static uint32_t make_abs(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  (void)self;
  args[0] = rh_graph_settle(exprs, args[0]);
  rh_type type = exprs->nodes[args[0]].type;
  if (rh_type_is_float(type)) return fabs_of(exprs, args);
  if (!rh_type_is_signed(type)) return args[0];
  uint32_t x = rh_graph_convert(exprs, args[0], type == RH_TYPE_i64 ? RH_TYPE_u64 : RH_TYPE_u32);
  return extreme(exprs, 1, x, rh_graph_unary(exprs, RH_NODE_NEGATE, x));
}

/* The same bits as another type. */
static uint32_t make_as(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  uint32_t x = rh_graph_settle(exprs, args[0]);
  rh_type type = self->which, of = exprs->nodes[x].type;
  if (rh_type_size(of) != rh_type_size(type))
    return rh_graph_refuse(exprs, "the two types have different sizes");
  rh_node node = {.kind = RH_NODE_BITS, .type = type, .of = of, .args = {x}};
  return of == type ? x : rh_graph_add(exprs, &node);
}

/* ---- By name ---- */

#define ROW(name, f32, f64, n_args, ulp)                                                           \
  {#name, n_args, call, 0, ulp, {name##_of_f32, name##_of_f64}},
static const rh_function functions[] = {
    CALLED(ROW){.name = "min", .n_args = 2, .make = make_extreme, .which = 1},
    {.name = "max", .n_args = 2, .make = make_extreme},
    {.name = "clamp", .n_args = 3, .make = make_clamp},
    {.name = "fmin", .n_args = 2, .make = of_numbers, .which = 1},
    {.name = "fmax", .n_args = 2, .make = of_numbers},
    {.name = "isnan", .n_args = 1, .make = make_isnan},
    {.name = "isinf", .n_args = 1, .make = by_infinity, .which = RH_NODE_EQUAL},
    {.name = "isfinite", .n_args = 1, .make = by_infinity, .which = RH_NODE_LESS},
    {.name = "sign", .n_args = 1, .make = make_sign},
    {.name = "abs", .n_args = 1, .make = make_abs},
    {.name = "as_int", .n_args = 1, .make = make_as, .which = RH_TYPE_i32},
    {.name = "as_uint", .n_args = 1, .make = make_as, .which = RH_TYPE_u32},
    {.name = "as_long", .n_args = 1, .make = make_as, .which = RH_TYPE_i64},
    {.name = "as_ulong", .n_args = 1, .make = make_as, .which = RH_TYPE_u64},
    {.name = "as_float", .n_args = 1, .make = make_as, .which = RH_TYPE_f32},
    {.name = "as_double", .n_args = 1, .make = make_as, .which = RH_TYPE_f64},
};

/* The first of the list. */
static uint32_t fabs_of(rh_exprs *exprs, uint32_t *args) {
  return call(exprs, &functions[0], args);
}

int rh_graph_call_named(rh_exprs *exprs, const char *name, size_t length, const uint32_t *given,
                        uint32_t n, uint32_t *made) {
  static const char *const reasons[] = {"", "the function takes one argument",
                                        "the function takes two arguments",
                                        "the function takes three arguments"};
  uint32_t args[3] = {0};
  memcpy(args, given, (n < 3 ? n : 3) * sizeof *args);
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    const rh_function *function = &functions[k];
    if (strlen(function->name) != length || memcmp(function->name, name, length) != 0) continue;
    *made = n == function->n_args ? function->make(exprs, function, args)
                                  : rh_graph_refuse(exprs, reasons[function->n_args]);
    return 1;
  }
  return 0;
}
