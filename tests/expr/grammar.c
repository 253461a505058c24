#include <math.h>
#include <string.h>

#include "../../host/core/base/base.h"
#include "grammar.h"

static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

/* glibc's own is wrong for (-inf, -0x1p63). */
static long double power(long double x, long double y) {
  return isinf(x) ? (long double)pow((double)x, (double)y) : powl(x, y);
}

#define ONE(name, ulp)                                                                             \
  { #name, 1, ulp, name##l, NULL }
#define TWO(name, ulp)                                                                             \
  { #name, 2, ulp, NULL, name##l }
const bounded_function bounded_functions[] = {
    ONE(rsqrt, 2), ONE(cbrt, 2),  ONE(exp, 3),  ONE(exp2, 3),  ONE(exp10, 3),
    ONE(expm1, 3), ONE(log, 3),   ONE(log2, 3), ONE(log10, 3), ONE(log1p, 2),
    ONE(sin, 4),   ONE(cos, 4),   ONE(tan, 5),  ONE(asin, 4),  ONE(acos, 4),
    ONE(atan, 5),  ONE(sinh, 4),  ONE(cosh, 4), ONE(tanh, 5),  ONE(asinh, 4),
    ONE(acosh, 4), ONE(atanh, 5), ONE(erf, 16), ONE(erfc, 16), {"pow", 2, 16, NULL, power},
    TWO(atan2, 6), TWO(hypot, 4)};
const uint32_t n_bounded_functions = sizeof bounded_functions / sizeof *bounded_functions;

int is_within(long double exact, double got, uint32_t ulp, int digits, int emin, int emax) {
  long double largest = ldexpl(1 - ldexpl(1, -digits), emax), size = fabsl(exact);
  if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got);
  int exponent = emin;
  if (size > 0 && isfinite(size)) frexpl(size, &exponent);
  if (exponent < emin + 1) exponent = emin + 1;
  if (exponent > emax) exponent = emax;
  long double unit = ldexpl(1, exponent - digits), bound = ulp * unit;
  if (isinf(got)) return size >= largest - bound && !signbit(got) == !signbit(exact);
  if (isinf(exact))
    return fabsl((long double)got) >= largest - bound && !signbit(got) == !signbit(exact);
  return fabsl(got - exact) <= bound;
}

const rh_operand random_variables[N_VARIABLES] = {
    {"x", RH_TYPE_f32}, {"y", RH_TYPE_f64}, {"k", RH_TYPE_i32}, {"m", RH_TYPE_u64},
    {"b", RH_TYPE_i8},  {"h", RH_TYPE_f16}, {"c", RH_TYPE_u8},  {"s", RH_TYPE_i16},
    {"w", RH_TYPE_u16}, {"u", RH_TYPE_u32}, {"l", RH_TYPE_i64}};
const rh_let random_constants[N_CONSTANTS] = {{"t", {1, (long double)0.3}}, {"q", {0, -3}}};

static uint32_t below(random_grammar *of, uint32_t n) {
  return (uint32_t)(rh_random_next(&of->seed) >> 33) % n;
}

static void add_leaf(random_grammar *of, rh_text *to) {
  static const char *const literals[] = {"0",     "1",   "2",    "-1",         "7",     "255",
                                         "65536", "31",  "1.5",  "0.1",        "-0.25", "1e10",
                                         "1e-30", "inf", "-0.0", "0x7fffffff", "3u",    "2.5f"};
  uint32_t k = below(of, N_VARIABLES + 8);
  if (of->n_names && below(of, 2)) rh_text_add(to, "e%u", below(of, of->n_names));
  else if (k < N_VARIABLES) rh_text_add(to, "%s", random_variables[k].name);
  else if (k == N_VARIABLES) rh_text_add(to, "%s", below(of, 2) ? "t" : "q");
  else if (k == N_VARIABLES + 1) rh_text_add(to, "%s", below(of, 2) ? "i" : "n");
  else rh_text_add(to, "(%s)", literals[below(of, sizeof literals / sizeof *literals)]);
}

static void add_exact(random_grammar *of, int depth, rh_text *to);

/* NaN has many bits, and is passed over. */
static void add_bits(random_grammar *of, int depth, const char *name, rh_text *to) {
  rh_text inner = {0};
  add_exact(of, depth - 1, &inner);
  rh_text_add(to, "%s(isnan(%s) ? 0 : %s)", name, rh_text_get(&inner), rh_text_get(&inner));
  rh_text_finish(&inner);
}

/* Which of two zeros is the larger one nobody fixes: fmin and fmax may give either, and compilers
 * make instructions of min and max that order them. */
static int orders_zeros(const char *name) {
  static const char *const names[] = {"min", "max", "fmin", "fmax", "clamp"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(name, names[k]) == 0) return 1;
  return 0;
}

static void add_bounded(random_grammar *of, int depth, rh_text *to) {
  const bounded_function *f = &bounded_functions[below(of, n_bounded_functions)];
  rh_text_add(to, "%s(", f->name);
  for (uint32_t j = 0; j < f->n_args; j++) {
    rh_text_add(to, "%s(%s)", j ? ", " : "", below(of, 2) ? "f32" : "f64");
    add_exact(of, depth - 1, to);
  }
  rh_text_add(to, ")");
}

static void add_call(random_grammar *of, int depth, rh_text *to) {
  static const char *const ones[] = {"abs",      "fabs",      "floor",   "ceil",    "trunc",
                                     "rint",     "round",     "sign",    "isnan",   "isinf",
                                     "isfinite", "as_int",    "as_uint", "as_long", "as_ulong",
                                     "as_float", "as_double", "sqrt"};
  static const char *const twos[] = {"min", "max", "fmin", "fmax", "fmod", "copysign"};
  enum { ONES = sizeof ones / sizeof *ones, TWOS = sizeof twos / sizeof *twos };
  uint32_t k = below(of, ONES + TWOS + 2), n = k < ONES ? 1 : k < ONES + TWOS ? 2 : 3;
  const char *name = k < ONES ? ones[k] : k < ONES + TWOS ? twos[k - ONES] : n ? "fma" : "";
  if (n == 3 && k == ONES + TWOS) name = "clamp";
  if (!(of->flags & RANDOM_DIVIDES) && strcmp(name, "sqrt") == 0) name = "fabs";
  if (strncmp(name, "as_", 3) == 0) {
    add_bits(of, depth, name, to);
    return;
  }
  rh_text_add(to, "%s(", name);
  for (uint32_t j = 0; j < n; j++) {
    if (j) rh_text_add(to, ", ");
    if (j == 1 && strcmp(name, "copysign") == 0)
      add_bits(of, depth, "", to); /* the sign of a NaN is not fixed */
    else add_exact(of, depth - 1, to);
    if (orders_zeros(name)) rh_text_add(to, " + 0");
  }
  rh_text_add(to, ")");
}

static void add_binary(random_grammar *of, int depth, rh_text *to) {
  static const char *const signs[] = {"+", "-", "*", "+",  "-",  "*",  "%",  "<<", ">>", "&", "|",
                                      "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "/", "/"};
  uint32_t n = sizeof signs / sizeof *signs - (of->flags & RANDOM_DIVIDES ? 0 : 2);
  rh_text_add(to, "(");
  add_exact(of, depth - 1, to);
  rh_text_add(to, " %s ", signs[below(of, n)]);
  add_exact(of, depth - 1, to);
  rh_text_add(to, ")");
}

static void add_unary(random_grammar *of, int depth, rh_text *to) {
  static const char *const prefixes[] = {"-",     "!",     "~",       "(i8)",  "(u8)",  "(i16)",
                                         "(u16)", "(i32)", "(u32)",   "(i64)", "(u64)", "(f16)",
                                         "(f32)", "(f64)", "(float)", "(f32)"};
  rh_text_add(to, "(%s", prefixes[below(of, sizeof prefixes / sizeof *prefixes)]);
  add_exact(of, depth - 1, to);
  rh_text_add(to, ")");
}

static void add_exact(random_grammar *of, int depth, rh_text *to) {
  uint32_t kind = below(of, of->flags & RANDOM_ERRS ? 16 : 12);
  if (depth > 0 && kind >= 12) {
    add_bounded(of, depth, to);
  } else if (depth == 0 || kind == 0) {
    add_leaf(of, to);
  } else if (kind < 7) {
    add_binary(of, depth, to);
  } else if (kind < 9) {
    add_unary(of, depth, to);
  } else if (kind < 11) {
    add_call(of, depth, to);
  } else {
    rh_text_add(to, "(");
    add_exact(of, depth - 1, to);
    rh_text_add(to, " ? ");
    add_exact(of, depth - 1, to);
    rh_text_add(to, " : ");
    add_exact(of, depth - 1, to);
    rh_text_add(to, ")");
  }
}

void random_expression(random_grammar *of, rh_text *to) {
  add_exact(of, 1 + (int)below(of, of->n_names ? 2 : 4), to);
}

static uint64_t random_float(uint64_t *seed, rh_type type) {
  static const double edges[] = {0, -0.0, 1, -1, 0.5, 2, 3, -7, 255.5, 1e-40, 1e-310, 3e38, 1e308};
  enum { EDGES = sizeof edges / sizeof *edges };
  uint64_t random = rh_random_next(seed), bits = 0;
  uint32_t k = (uint32_t)(random >> 40) % (EDGES + 12);
  double x = k < EDGES        ? edges[k]
             : k == EDGES     ? (double)INFINITY
             : k == EDGES + 1 ? (double)NAN
                              : ldexp((double)(int32_t)random, (int)((random >> 32) % 40) - 45);
  float narrow = (float)x;
  if (type == RH_TYPE_f16) return random >> 48; /* any half */
  memcpy(&bits, type == RH_TYPE_f32 ? (void *)&narrow : (void *)&x, rh_type_size(type));
  return bits;
}

uint64_t random_element(uint64_t *seed, rh_type type) {
  static const uint64_t edges[] = {0,         1,         2,        7,         UINT64_MAX,
                                   INT64_MAX, INT32_MAX, 1u << 31, 1ull << 63};
  if (rh_type_is_float(type)) return random_float(seed, type);
  uint64_t random = rh_random_next(seed);
  uint32_t k = (uint32_t)(random >> 50) % 18;
  return k < sizeof edges / sizeof *edges ? edges[k] : random >> (random % 64);
}
