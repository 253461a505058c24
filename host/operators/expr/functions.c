/* The functions of OpenCL C that expressions may call. */
#include "internal.h"

/* rsqrt and exp10 are not C's. */
static float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }

/* The C library's own may err by 4 ulp; a step of Newton's method makes that 1.  cbrtl() would not
 * do: a call by the fast path leaves the caller's rounding of long double as it is. */
static double cbrt_in_1_ulp(double x) {
  int is_tiny = fabs(x) < 0x1p-900; /* what the step computes would be 0 */
  double scaled = is_tiny ? x * 0x1p300 : x, root = cbrt(scaled);
  if (x == 0 || !isfinite(x)) return root;
  double square = root * root, lost = fma(root, root, -square);
  root -= (fma(square, root, -scaled) + lost * root) / (3 * square);
  return is_tiny ? root * 0x1p-100 : root;
}

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
  X(cbrt, cbrtf, cbrt_in_1_ulp, 1, 2)                                                              \
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
static uint32_t take_floats(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  rh_type type = RH_TYPE_f32;
  int any = 0;
  for (uint32_t k = 0; k < self->n_args; k++) {
    const rh_node *node = &exprs->nodes[args[k]];
    if (node->is_weak) {
      if (!rh_number_fits(rh_graph_value(exprs, args[k]), RH_TYPE_f32)) type = RH_TYPE_f64;
      continue;
    }
    any = 1;
    if (node->type != RH_TYPE_f32) type = RH_TYPE_f64;
  }
  if (!any) type = RH_TYPE_f64;
  for (uint32_t k = 0; k < self->n_args; k++) args[k] = rh_graph_convert(exprs, args[k], type);
  return 0;
}

static uint32_t call(rh_exprs *exprs, const rh_function *function, uint32_t *args) {
  take_floats(exprs, function, args);
  rh_node node = {.kind = RH_NODE_CALL, .type = exprs->nodes[args[0]].type, .function = function};
  memcpy(node.args, args, function->n_args * sizeof *args);
  return rh_graph_add(exprs, &node);
}

/* ---- Those that are written out: the same on host and device by construction ---- */

/* x, 0, 1 and -1, all of its type. */
static uint32_t take_signs(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  (void)self;
  args[0] = rh_graph_settle(exprs, args[0]);
  rh_type type = exprs->nodes[args[0]].type;
  for (uint32_t k = 1; k < RH_EXPR_MOST_ARGS; k++)
    args[k] = rh_graph_literal(exprs, (rh_expr_value){.x = k == 3 ? -1 : (int)k - 1}, type);
  return 0;
}

/* The magnitude of a signed integer is unsigned, and so right for the least one, too.  It is the
 * lesser of x and -x, as unsigned numbers: NVIDIA's driver 580 takes what `x < 0 ? -x : x` makes of
 * the least integer for a negative number. */
static uint32_t make_abs(rh_exprs *exprs, const rh_function *self, uint32_t *args) {
  (void)self;
  args[0] = rh_graph_settle(exprs, args[0]);
  rh_type type = exprs->nodes[args[0]].type;
  if (rh_type_is_float(type)) return call(exprs, rh_function_find("fabs", 4), args);
  if (!rh_type_is_signed(type)) return args[0];
  uint32_t x = rh_graph_convert(exprs, args[0], type == RH_TYPE_i64 ? RH_TYPE_u64 : RH_TYPE_u32);
  uint32_t minus = rh_graph_unary(exprs, RH_NODE_NEGATE, x);
  return rh_graph_choose(exprs, rh_graph_binary(exprs, RH_NODE_LESS, minus, x), minus, x);
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

#define WRITTEN(name, n_args, make, text)                                                          \
  { name, n_args, make, 0, 0, {NULL, NULL}, text }
#define AS(name, type)                                                                             \
  { name, 1, make_as, type, 0, {NULL, NULL}, NULL }
#define ROW(name, f32, f64, n_args, ulp)                                                           \
  {#name, n_args, call, 0, ulp, {name##_of_f32, name##_of_f64}, NULL},
static const rh_function functions[] = {
    WRITTEN("min", 2, NULL, "b < a ? b : a"), WRITTEN("max", 2, NULL, "a < b ? b : a"),
    WRITTEN("clamp", 3, NULL, "min(max(a, b), c)"),
    /* The other one if one is NaN. */
    WRITTEN("fmin", 2, take_floats, "a != a ? b : b != b ? a : min(a, b)"),
    WRITTEN("fmax", 2, take_floats, "a != a ? b : b != b ? a : max(a, b)"),
    WRITTEN("isnan", 1, take_floats, "a != a"), WRITTEN("isinf", 1, NULL, "fabs(a) == inf"),
    WRITTEN("isfinite", 1, NULL, "fabs(a) < inf"),
    /* A zero that is a float keeps its sign, and NaN gives 0. */
    WRITTEN("sign", 1, take_signs, "b < a ? c : a < b ? d : a == b ? a : b"),
    WRITTEN("abs", 1, make_abs, NULL), AS("as_int", RH_TYPE_i32), AS("as_uint", RH_TYPE_u32),
    AS("as_long", RH_TYPE_i64), AS("as_ulong", RH_TYPE_u64), AS("as_float", RH_TYPE_f32),
    AS("as_double", RH_TYPE_f64), CALLED(ROW)};

const rh_function *rh_function_find(const char *name, size_t length) {
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (strlen(functions[k].name) == length && memcmp(functions[k].name, name, length) == 0)
      return &functions[k];
  return NULL;
}
