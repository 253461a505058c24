/* Expressions: grammar, types, values, the written OpenCL C's shape, and messages. */
#include "../../host/operators/expr/expr.h"
#include "../suite/suite.h"

OWNS(rh_exprs, rh_exprs_destroy)

static const rh_operand variables[] = {
    {"x", RH_TYPE_f32}, {"y", RH_TYPE_f64},   {"k", RH_TYPE_i32},     {"u", RH_TYPE_u32},
    {"l", RH_TYPE_i64}, {"h", RH_TYPE_f16},   {"b", RH_TYPE_i8},      {"c", RH_TYPE_u8},
    {"m", RH_TYPE_u64}, {"a.0", RH_TYPE_f32}, {"a.mean", RH_TYPE_f64}};
enum { VARIABLES = sizeof variables / sizeof *variables };
static const float x[] = {3, -2.5f, 0.1f};
static const double y[] = {1e300, 7, -0.0};
static const int32_t k[] = {7, -3, INT32_MIN};
static const uint32_t u[] = {5, UINT32_MAX, 0};
static const int64_t l[] = {1, INT64_MIN, -1};
static const uint16_t h[] = {0x3c00, 0xc100, 0x0001}; /* 1, -2.5, 2^-24 */
static const int8_t b[] = {-128, 5, 127};
static const uint8_t c[] = {0, 255, 7};
static const uint64_t m[] = {0, UINT64_MAX, 9};
static const float a0[] = {1, 2, 3};
static const double mean[] = {0.5, 1.5, 2.5};
static const void *const arrays[] = {x, y, k, u, l, h, b, c, m, a0, mean};
static const rh_let constants[] = {{"t", {1, 0.5L}}, {"q", {0, 10}}};

static rh_exprs *parse(const char *text, rh_error *why) {
  rh_exprs *exprs;
  ck_assert_int_eq(rh_exprs_create(&exprs, variables, VARIABLES, constants, 2, 1, why), RH_OK);
  if (rh_exprs_output(exprs, text, 0, "--map", why) == RH_OK) return exprs;
  rh_exprs_destroy(exprs);
  return NULL;
}

static rh_exprs *parse_well(const char *text) {
  rh_exprs *exprs = parse(text, &error);
  ck_assert_msg(exprs != NULL, "%s: %s", text, error.message);
  return exprs;
}

/* The value at element `at` as its type's number, in a double or an integer. */
static void evaluate(const char *text, int at, rh_type type, double *f, int64_t *i) {
  OWNED(rh_exprs) exprs = parse_well(text);
  ck_assert_msg(rh_exprs_type(exprs, 0) == type, "%s is %s", text,
                rh_type_name(rh_exprs_type(exprs, 0)));
  uint64_t out[3] = {0}, bound[8];
  void *outputs[] = {out};
  ck_assert_uint_le(rh_exprs_constants_size(exprs), sizeof bound);
  rh_exprs_bind(exprs, 1000, bound);
  rh_exprs_eval(exprs, arrays, 100, 3, bound, outputs);
  const char *from = (const char *)out + (size_t)at * rh_type_size(type);
  float narrow;
  memcpy(&narrow, from, sizeof narrow);
  *f = narrow;
  if (type == RH_TYPE_f64) memcpy(f, from, sizeof *f);
  int32_t word;
  memcpy(&word, from, sizeof word);
  *i = type == RH_TYPE_u32 ? (int64_t)(uint32_t)word : word;
  if (rh_type_size(type) == 8) memcpy(i, from, sizeof *i);
}

static const struct row {
  const char *text;
  rh_type type;
  int at;
  double value;
} rows[] = {
    {"1 + 2 * 3", RH_TYPE_i32, 0, 7},
    {"(1 + 2) * 3", RH_TYPE_i32, 0, 9},
    {"10 - 4 - 3", RH_TYPE_i32, 0, 3},
    {"k - 4 - 3", RH_TYPE_i32, 0, 0},
    {"2 + k << 1", RH_TYPE_i32, 0, 18},
    {"k & 3 == 3", RH_TYPE_i32, 0, 1}, /* C's precedence: k & (3 == 3) */
    {"k | 8 ^ 1 & 3", RH_TYPE_i32, 0, 15},
    {"k > 3 && x < 0 || c == 0", RH_TYPE_i32, 0, 1},
    {"k > 0 ? x : y", RH_TYPE_f64, 0, 3},
    {"k > 0 ? x : 0.5", RH_TYPE_f32, 1, 0.5},
    {"x > 0 ? 1 : x < -1 ? 2 : 3", RH_TYPE_i32, 1, 2},
    {"!k + !0", RH_TYPE_i32, 0, 1},
    {"-x", RH_TYPE_f32, 1, 2.5},
    {"- -x", RH_TYPE_f32, 1, -2.5},
    {"~k", RH_TYPE_i32, 0, -8},
    {"x * 0.5", RH_TYPE_f32, 1, -1.25},
    {"x * 2", RH_TYPE_f32, 1, -5},
    {"k * 0.5", RH_TYPE_f64, 0, 3.5},
    {"k * 0.5f", RH_TYPE_f32, 0, 3.5},
    {"x + y", RH_TYPE_f64, 1, 4.5},
    {"k + u", RH_TYPE_u32, 1, 4294967292.0},
    {"k + l", RH_TYPE_i64, 0, 8},
    {"k + 3000000000", RH_TYPE_i64, 0, 3000000007.0},
    {"b + c", RH_TYPE_i32, 1, 260},
    {"h * 2", RH_TYPE_f32, 1, -5},
    {"h", RH_TYPE_f32, 2, 0x1p-24},
    {"(f16)0.1", RH_TYPE_f32, 0, 0x1.998p-4},
    {"(half)70000.0", RH_TYPE_f32, 0, INFINITY},
    {"k * k", RH_TYPE_i32, 2, 0},
    {"k - 1", RH_TYPE_i32, 2, INT32_MAX},
    {"-k", RH_TYPE_i32, 2, INT32_MIN},
    {"k / 2", RH_TYPE_i32, 1, -1},
    {"k % 2", RH_TYPE_i32, 1, -1},
    {"k / c", RH_TYPE_i32, 0, 0},
    {"k % c", RH_TYPE_i32, 0, 0},
    {"k / l", RH_TYPE_i64, 2, 2147483648.0},
    {"k / (b - 128)", RH_TYPE_i32, 2, INT32_MIN},
    {"k << 33", RH_TYPE_i32, 0, 14},
    {"k >> 1", RH_TYPE_i32, 1, -2},
    {"u >> 31", RH_TYPE_u32, 1, 1},
    {"(i8)300", RH_TYPE_i32, 0, 44},
    {"(u8)(x * 1000)", RH_TYPE_i32, 0, 255},
    {"(u8)x", RH_TYPE_i32, 1, 0},
    {"(int)(y)", RH_TYPE_i32, 0, INT32_MAX},
    {"(int)nan", RH_TYPE_i32, 0, 0},
    {"(u32)-1.0", RH_TYPE_u32, 0, 0},
    {"(f32)16777217", RH_TYPE_f32, 0, 16777216},
    {"0x10 + 8", RH_TYPE_i32, 0, 24},
    {"0xffffffffu", RH_TYPE_u32, 0, 4294967295.0},
    {"0x1p-3", RH_TYPE_f64, 0, 0.125},
    {".5e1", RH_TYPE_f64, 0, 5},
    {"-inf", RH_TYPE_f64, 0, -INFINITY},
    {"x > t", RH_TYPE_i32, 1, 0},
    /* Comparisons are those of the numbers. */
    {"u > -1", RH_TYPE_i32, 1, 1},
    {"u < 4294967296", RH_TYPE_i32, 1, 1},
    {"m > -1", RH_TYPE_i32, 0, 1},
    {"m == -1", RH_TYPE_i32, 1, 0},
    {"-1 >= m", RH_TYPE_i32, 1, 0},
    {"m == 18446744073709551615", RH_TYPE_i32, 1, 1},
    {"m >= 18446744073709551614", RH_TYPE_i32, 1, 1},
    {"m < 18446744073709551616.0", RH_TYPE_i32, 1, 1},
    {"l < 9223372036854775808", RH_TYPE_i32, 2, 1},
    {"l >= 18446744073709551615", RH_TYPE_i32, 2, 0},
    {"l == -9223372036854775808", RH_TYPE_i32, 1, 1},
    {"l + 9007199254740994 > 9007199254740992.0", RH_TYPE_i32, 2, 1},
    {"l == m", RH_TYPE_i32, 2, 0},
    {"l < m", RH_TYPE_i32, 2, 1},
    {"m <= l", RH_TYPE_i32, 1, 0},
    {"k < u", RH_TYPE_i32, 1, 1},
    {"k == u - 2", RH_TYPE_i32, 1, 0},
    {"x + 16777213 < 16777217", RH_TYPE_i32, 0, 1},
    {"x + 16777213 == 16777217", RH_TYPE_i32, 0, 0},
    {"x < 1e300", RH_TYPE_i32, 0, 1},
    {"x - x > 1e-300", RH_TYPE_i32, 0, 0},
    {"x - x < 1e-300", RH_TYPE_i32, 0, 1},
    {"x <= -1e300", RH_TYPE_i32, 0, 0},
    {"x >= 0.1", RH_TYPE_i32, 2, 1},
    {"y - y < 9007199254740993", RH_TYPE_i32, 0, 1},
    {"y - y + 9007199254740992 == 9007199254740993", RH_TYPE_i32, 0, 0},
    {"k > 2.5", RH_TYPE_i32, 0, 1},
    {"c < 256", RH_TYPE_i32, 1, 1},
    /* A number that the type does not hold widens it. */
    {"u + -1", RH_TYPE_i64, 2, -1},
    {"u*-1", RH_TYPE_i64, 0, -5},
    {"m + -2", RH_TYPE_u64, 2, 7},
    {"l & 0xffffffffffffffff", RH_TYPE_u64, 2, 18446744073709551615.0},
    {"min(u, -1)", RH_TYPE_i64, 0, -1},
    {"clamp(u, -1, 1)", RH_TYPE_i64, 0, 1},
    {"u & 4294967297", RH_TYPE_i64, 0, 1},
    {"u ^ 0xffffffffffffffff", RH_TYPE_u64, 2, 18446744073709551615.0},
    {"x/(x - x + 1e-300)", RH_TYPE_f64, 0, 3e300},
    {"x*1e300", RH_TYPE_f64, 0, 3e300},
    {"9223372036854775807 + 1", RH_TYPE_u64, 0, 9223372036854775808.0},
    {"-9223372036854775808", RH_TYPE_i64, 0, -9223372036854775808.0},
    {"x + t", RH_TYPE_f32, 0, 3.5},
    {"k + q", RH_TYPE_i32, 0, 17},
    {"k % q", RH_TYPE_i32, 0, 7},
    {"i + 1", RH_TYPE_u64, 2, 103},
    {"a.0 + a.mean", RH_TYPE_f64, 2, 5.5},
    {"fabs(x - 5)", RH_TYPE_f32, 1, 7.5},
    {"abs(k)", RH_TYPE_u32, 0, 7},
    {"abs(k)", RH_TYPE_u32, 1, 3},
    {"abs(k)", RH_TYPE_u32, 2, 2147483648.0},
    {"abs(b)", RH_TYPE_u32, 0, 128},
    {"abs(u)", RH_TYPE_u32, 1, 4294967295.0},
    {"abs(l)", RH_TYPE_u64, 2, 1},
    {"abs(l << 63)", RH_TYPE_u64, 0, 9223372036854775808.0},
    {"abs(x)", RH_TYPE_f32, 1, 2.5},
    {"min(k, 3)", RH_TYPE_i32, 0, 3},
    {"min(k, 3)", RH_TYPE_i32, 1, -3},
    {"max(k, 3)", RH_TYPE_i32, 0, 7},
    {"max(k, 3)", RH_TYPE_i32, 1, 3},
    {"isnan(min(fabs(x + nan), -7))", RH_TYPE_i32, 1, 1},
    {"isnan(max(x + nan, 7))", RH_TYPE_i32, 1, 1},
    {"max(x, y)", RH_TYPE_f64, 1, 7},
    {"clamp(k, 0, 5)", RH_TYPE_i32, 0, 5},
    {"clamp(k, 0, 5)", RH_TYPE_i32, 1, 0},
    {"clamp(k, -5, 5)", RH_TYPE_i32, 1, -3},
    {"fmin(x, nan)", RH_TYPE_f32, 1, -2.5},
    {"fmin(nan, x)", RH_TYPE_f32, 1, -2.5},
    {"fmin(x, 1)", RH_TYPE_f32, 0, 1},
    {"fmax(x, nan)", RH_TYPE_f32, 1, -2.5},
    {"fmax(x, 1)", RH_TYPE_f32, 1, 1},
    {"isnan(x - x) + isinf(1 / (x - x))", RH_TYPE_i32, 0, 1},
    {"isfinite(y)", RH_TYPE_i32, 0, 1},
    {"sign(x)", RH_TYPE_f32, 0, 1},
    {"sign(x)", RH_TYPE_f32, 1, -1},
    {"sign(x - x)", RH_TYPE_f32, 0, 0},
    {"sqrt(x + 1)", RH_TYPE_f32, 0, 2},
    {"floor(x) + ceil(x) + trunc(x) + rint(x) + round(x)", RH_TYPE_f32, 1, -12},
    {"fma(x, x, 1)", RH_TYPE_f32, 0, 10},
    {"exp(k - 7)", RH_TYPE_f64, 0, 1},
    {"pow(x, 2)", RH_TYPE_f32, 0, 9},
    {"copysign(x, -1)", RH_TYPE_f32, 0, -3},
    {"as_int(x)", RH_TYPE_i32, 0, 0x40400000},
};

/* Where x is 0.1. */
static void enclose(const char *text, double *low, double *high) {
  uint64_t bound[8];
  OWNED(rh_exprs) exprs = parse_well(text);
  const void *tenth[VARIABLES] = {&x[2]};
  rh_exprs_bind(exprs, 1000, bound);
  ck_assert_int_eq(rh_exprs_enclose(exprs, 0, tenth, 0, 1, bound, low, high), 0);
}

/* Casts, products and negations that are 0 as integers, and would be -0 as floats. */
static const char *const zeros[] = {"atan2(0.0, (i32)(exp(x) - 1.5))",
                                    "atan2(0.0, -(i32)(exp(x) > 1e9))",
                                    "atan2(0.0, (i32)(exp(x) > 1e9)*-1)"};

TEST_LOOP(enclosed_integers_have_one_zero, 0, sizeof zeros / sizeof *zeros) {
  double low, high;
  enclose(zeros[_i], &low, &high);
  ck_assert_msg(low <= 0 && 0 <= high && high < 1, "%s: %g to %g", zeros[_i], low, high);
}

/* round() of what may be a little below 0, as a device's exp() of -1000, is 0 of either sign. */
TEST(enclosed_zeros_have_either_sign) {
  double low, high;
  enclose("atan2(round(exp(x - 1000.0)), -0.5)", &low, &high);
  ck_assert_msg(low < -3 && high > 3, "%g to %g", low, high);
}

TEST_LOOP(values, 0, sizeof rows / sizeof *rows) {
  const struct row *one = &rows[_i];
  double f;
  int64_t i;
  evaluate(one->text, one->at, one->type, &f, &i);
  double got = rh_type_is_float(one->type) ? f
               : one->type == RH_TYPE_u64  ? (double)(uint64_t)i
                                           : (double)i;
  ck_assert_msg(got == one->value, "%s is %.17g, not %.17g", one->text, got, one->value);
}

static const struct mistake {
  const char *text, *message;
} mistakes[] = {
    {"x *", "--map: expected an operand, and the text ends, at column 4 of 'x *'"},
    {"", "expected an operand, and the text ends, at column 1"},
    {"x + * y", "expected an operand, not '*', at column 5"},
    {"(x", "expected ')', and the text ends, at column 3"},
    {"x)", "expected an operator, not ')', at column 2"},
    {"x y", "expected an operator, not 'y', at column 3"},
    {"z + 1",
     "unknown name 'z'; known: x, y, k, u, l, h, b, c, m, a.0, a.mean, t, q, i, n, at column 1"},
    {"foo(x)", "unknown function 'foo', at column 1"},
    {"sqrt(x, y)", "the function takes one argument, at column 1"},
    {"min(x)", "the function takes two arguments, at column 1"},
    {"x % 2", "% is of integers; of floats it is fmod(a, b), at column 3"},
    {"x & 1", "an operator of integers has a float as its operand, at column 3"},
    {"k << x", "an operator of integers has a float as its operand, at column 3"},
    {"k / 0", "a division of integers by 0, at column 3"},
    {"k % (3 - 3)", "a division of integers by 0, at column 3"},
    {"k / 0u", "a division of integers by 0, at column 3"},
    {"k / (1 > 2)", "a division of integers by 0, at column 3"},
    {"k / (i8)(256 + (1 & 2))", "a division of integers by 0, at column 3"},
    {"k / (i64)fabs(0.25f)", "a division of integers by 0, at column 3"},
    {"x ? 1", "expected ':', and the text ends, at column 6"},
    {"as_int(y)", "the two types have different sizes, at column 1"},
    {"99999999999999999999", "the integer does not fit in 64 bits, at column 1"},
    {"m / -1", "u64 has no negative numbers; cast what it meets, as in (i64)x, at column 3"},
    {"max(m, -1)", "u64 has no negative numbers; cast what it meets, as in (i64)x, at column 1"},
    {"l / 0xffffffffffffffff",
     "the number does not fit in i64; cast what it meets, as in (u64)x, at column 3"},
    {"9223372036854775807*2*2", "the integer does not fit in 64 bits, at column 22"},
    {"1z", "no such suffix of an integer, at column 2"},
    {"1.5q", "no such suffix of a number, at column 4"},
    {"0x", "a hexadecimal number has no digits, at column 2"},
    {"010",
     "an integer that begins with 0 is octal in C; write it without, or as 0x10, at column 1"},
    {"k + 08",
     "an integer that begins with 0 is octal in C; write it without, or as 0x10, at column 5"},
    {"1e400", "the number does not fit in f64, at column 1"},
    {"x * 1e", "an exponent has no digits, at column 6"},
    {"x * 1e+", "an exponent has no digits, at column 6"},
    {"1.5e", "an exponent has no digits, at column 4"},
    {"0x1p", "an exponent has no digits, at column 4"},
    {"x = 1", "expected an operator, not '=', at column 3"},
    {"x; y", "expected an operator, not ';', at column 2"},
    {"\"a\"", "expected an operand, not '\"', at column 1"},
};

TEST_LOOP(messages, 0, sizeof mistakes / sizeof *mistakes) {
  const struct mistake *one = &mistakes[_i];
  ck_assert_msg(parse(one->text, &error) == NULL, "'%s' was taken", one->text);
  ck_assert_int_eq(error.status, RH_E_USAGE);
  ck_assert_msg(strstr(error.message, one->message) != NULL, "%s: %s", one->text, error.message);
}

static char *nested(int depth) {
  char *text = malloc(2 * (size_t)depth + 2);
  memset(text, '(', (size_t)depth);
  text[depth] = '1';
  memset(text + depth + 1, ')', (size_t)depth);
  text[2 * depth + 1] = 0;
  return text;
}

TEST(limits) {
  char *deep = nested(300), *flat = nested(60), *many = malloc(20001);
  ck_assert(!parse(deep, &error) && strstr(error.message, "nested more than 200 deep"));
  rh_exprs *exprs = parse(flat, &error);
  ck_assert(exprs != NULL);
  rh_exprs_destroy(exprs);
  for (int j = 0; j < 20000; j += 4) memcpy(many + j, j % 8 ? "k +\t" : "x * ", 4);
  strcpy(many + 19999, "1");
  exprs = parse(many, &error); /* equal operations are one, so that this is long and not large */
  rh_exprs_destroy(exprs);
  free(deep);
  free(flat);
  free(many);
}

TEST(lists_and_names) {
  OWNED(rh_exprs) exprs = NULL;
  float first[3], second[3];
  void *outputs[] = {first, second};
  must(rh_exprs_create(&exprs, variables, VARIABLES, NULL, 0, 0, &error));
  must(rh_exprs_let(exprs, "d", "x - a.0", "let", &error));
  must(rh_exprs_outputs(exprs, "d * d, max(d, 0)", "--map", &error));
  ck_assert_uint_eq(rh_exprs_count(exprs), 2);
  rh_exprs_eval(exprs, arrays, 0, 3, NULL, outputs);
  ck_assert(first[0] == 4 && second[0] == 2 && second[1] == 0);
  uint64_t used = rh_exprs_variables(exprs, RH_EXPRS_ALL);
  ck_assert(used & 1 && !(used & 2));
  ck_assert(!(rh_exprs_facts(exprs, RH_EXPRS_ALL) &
              (RH_EXPR_USES_INDEX | RH_EXPR_USES_F64 | RH_EXPR_ERRS)));
}

/* More elements than a block, from an index on; the same values as C's. */
TEST(blocks) {
  enum { N = 1000 };
  static float in[N], out[N];
  OWNED(rh_exprs) exprs = NULL;
  const rh_operand one[] = {{"x", RH_TYPE_f32}};
  const void *from[] = {in};
  void *to[] = {out};
  for (int j = 0; j < N; j++) in[j] = (float)(j * 37 % 101) - 50.5f;
  ck_assert(rh_exprs_create(&exprs, one, 1, NULL, 0, 1, &error) == RH_OK);
  ck_assert(rh_exprs_output(exprs, "(x * x - 3) / (x + i)", RH_TYPE_f32, "--map", &error) == RH_OK);
  rh_exprs_eval(exprs, from, 5, N, NULL, to);
  for (int j = 0; j < N; j++) {
    volatile float square = in[j] * in[j], top = square - 3.0f;
    volatile float bottom = in[j] + (float)(uint64_t)(j + 5);
    ck_assert_msg(out[j] == top / bottom, "element %d", j);
  }
}

/* Chan's merge of means is associative as a rational function; a+2*b is not. */
TEST(modulo_a_prime) {
  static const struct {
    const char *text;
    int is_associative;
  } ops[] = {{"a + b", 1}, {"a * b", 1},       {"a + b + a*b", 1},     {"a + 2*b", 0},
             {"a - b", 0}, {"(a + b) / 2", 0}, {"a * b / (a + b)", 1}, {"(a + b) / (1 + a*b)", 1}};
  const rh_operand two[] = {{"a", RH_TYPE_f64}, {"b", RH_TYPE_f64}};
  for (size_t j = 0; j < sizeof ops / sizeof *ops; j++) {
    OWNED(rh_exprs) exprs = NULL;
    uint64_t ab[] = {123456789123, 987654321}, third = 5555555555, left, right, inner;
    ck_assert(rh_exprs_create(&exprs, two, 2, NULL, 0, 0, &error) == RH_OK);
    ck_assert(rh_exprs_output(exprs, ops[j].text, RH_TYPE_f64, "--reduce", &error) == RH_OK);
    ck_assert(rh_exprs_modular(exprs, ab, &inner));
    ck_assert(rh_exprs_modular(exprs, (uint64_t[]){inner, third}, &left));
    ck_assert(rh_exprs_modular(exprs, (uint64_t[]){ab[1], third}, &inner));
    ck_assert(rh_exprs_modular(exprs, (uint64_t[]){ab[0], inner}, &right));
    ck_assert_msg((left == right) == ops[j].is_associative, "%s", ops[j].text);
  }
}

/* By functions that OpenCL C lets err. */
TEST(errors) {
  static const struct {
    const char *text;
    double least, most;
  } rows_of_errors[] = {
      {"x*x + y", 0, 0},
      {"sqrt(x) > 3", 0, 0},
      {"exp(x)", 6 * 0x1p-23, 6.1 * 0x1p-23},
      {"(f64)-fabs(exp(x))", 6 * 0x1p-23, 6.1 * 0x1p-23},
      {"k > 0 ? log(y) : sin(y)", 8 * 0x1p-52, 8.1 * 0x1p-52},
      {"exp(x) + 1", (double)INFINITY, (double)INFINITY},
      {"exp(x) > 2", (double)INFINITY, (double)INFINITY},
  };
  for (size_t r = 0; r < sizeof rows_of_errors / sizeof *rows_of_errors; r++) {
    OWNED(rh_exprs) exprs = parse(rows_of_errors[r].text, &error);
    double found = rh_exprs_error(exprs);
    ck_assert_msg(found >= rows_of_errors[r].least && found <= rows_of_errors[r].most, "%s: %g",
                  rows_of_errors[r].text, found);
  }
}

/* The difference that wraps and is seen, of 1000 elements. */
static const struct difference {
  const char *text, *found;
} differences[] = {
    {"u - c", "u - c"},
    {"abs(k - u)", "k - u"},
    {"2*u - c - 1", "2*u - c - 1"},
    {"x*(k - i + m ) ", "k - i + m"},
    {"m - i + x", "m - i"},
    {"-m*2 + i", "-m*2 + i"},
    {"2*(m*(i - 1)) + c", "2*(m*(i - 1)) + c"},
    {"c*(u - 1)", "u - 1"},
    {"-(m - i)*x", "-(m - i)"},
    {"m + abs(i - 7 + c)", "i - 7 + c"},
    {"abs(m - i) + c - c", "m - i"},
    {"m + (i - 7)/2", "i - 7"},
    {"-u < c", "-u"},
    {"u*2 - c*(3 + u) + 1 > 0", "u*2 - c*(3 + u) + 1"},
    {"m + u - (k > 0) - 1", "m + u - (k > 0) - 1"},
    {"m - l", "m - l"},
    {"k - i", "k - i"},
    {"x*(i - 1)", "i - 1"},
    {"-u", "-u"},
    {"u - q", "u - q"},
    {"(f64)(u - c)", "u - c"},
    {"(i64)(u - c)", "u - c"},
    {"(u - c)/2", "u - c"},
    {"(u - c) >> 1", "u - c"},
    {"u - c > 3", "u - c"},
    {"(u - c) % 7", "u - c"},
    {"n/2 - i", "n/2 - i"},
    {"n - 1001", "n - 1001"},
    {"u < c ? u - c : 0", "u - c"},
    {"u > c ? u - c : c - u - 1", "c - u - 1"},
    {"u > c || k > 3 ? u - c : 0", "u - c"},
    {"u > 0 ? u - 2 : 0", "u - 2"},
    {"u >= c ? u - c - 1 : 0", "u - c - 1"},
    {"x > y ? u - c : 0", "u - c"},
    {"max(u, 7u) - max(c, 7u)", "max(u, 7u) - max(c, 7u)"},
};

/* Those that do not wrap, or are not seen; ";" is between them. */
static const char no_differences[] =
    "c - b; k - c; u - l; x - i; l - u; n - i; n - 1 - i; n - i - 1; n - 1000; 3 - 5; 0u - 0; "
    "u - 0; u - u/3; u - u%7; u - (u & k); u - (u & c); m - (m >> 3); 255u - c; 0xffffffff - u; "
    "m + u - (u & 0); (i32)(u - c); (i64)(m - i)*x; abs((i64)(i - m)); (i64)-m; as_int(u - c); "
    "(u8)(u - c); (u - c) & 255; u - c == 3; u - c ? 1 : 2; (u - c)*(u - c); "
    "u > c ? u - c : c - u; c <= u ? u - c : 0; u < c ? 0.5 : 1.0*(u - c); !(u < c) ? u - c : 0; "
    "k == 3 && u > c && x > 0 ? (f32)(u - c) : 0; u < c || x < 0 ? 0 : u - c; u ? u - 1 : 0; "
    "u >= 5 ? u - 5 : 0; max(u, c) - min(u, c); m > u ? m - u : u - m; clamp(u, 3u, 9u) - 3";

TEST(differences_below_0) {
  for (size_t r = 0; r < sizeof differences / sizeof *differences; r++) {
    const struct difference *one = &differences[r];
    rh_expr_place place = {.what = "--map", .text = ""};
    OWNED(rh_exprs) exprs = parse_well(one->text);
    ck_assert_msg(rh_exprs_find_difference(exprs, 1000, &place), "%s", one->text);
    char found[64];
    snprintf(found, sizeof found, "%.*s", (int)(place.end - place.begin), place.text + place.begin);
    ck_assert_str_eq(found, one->found);
    ck_assert_str_eq(place.what, "--map");
    ck_assert_int_eq(place.text[place.sign], '-');
  }
}

TEST(no_differences_below_0) {
  char texts[sizeof no_differences];
  strcpy(texts, no_differences);
  for (char *rest = texts, *text; (text = strsep(&rest, ";"));) {
    rh_expr_place place;
    OWNED(rh_exprs) exprs = parse_well(text);
    ck_assert_msg(!rh_exprs_find_difference(exprs, 1000, &place), "%s", text);
  }
}

TEST(a_condition_is_a_guard) {
  static const char *const conditions[] = {"u > c", "u > 7", "u - 1 > c"};
  static const int is_seen[] = {0, 1, 1};
  uint32_t zero = 0;
  const void *const others[] = {&zero};
  for (int r = 0; r < 3; r++) {
    rh_expr_place place;
    OWNED(rh_exprs) exprs = parse("u - c", &error);
    must(rh_exprs_where(exprs, conditions[r], others, "--where", &error));
    ck_assert_int_eq(rh_exprs_find_difference(exprs, 1000, &place), is_seen[r]);
  }
}

TEST(results_of_32_bits) {
  static const struct {
    const char *text;
    int is_narrow;
  } narrow[] = {{"k + c", 1},       {"u*c", 1},           {"k - c", 1}, {"k > c ? k + c : k", 1},
                {"(k + c)%7", 1},   {"k + l", 0},         {"l*m", 0},   {"x + k", 0},
                {"max(k, c)", 0},   {"k & u", 0},         {"k ^ c", 0}, {"(k + c) & 255", 0},
                {"(i8)(k + c)", 0}, {"k > c ? k : c", 0}, {"k + 1", 0}};
  for (size_t r = 0; r < sizeof narrow / sizeof *narrow; r++) {
    rh_expr_place place;
    OWNED(rh_exprs) exprs = parse(narrow[r].text, &error);
    ck_assert_msg(rh_exprs_find_narrow(exprs, 0, &place) == narrow[r].is_narrow, "%s",
                  narrow[r].text);
  }
}

/* The most elements whose sum a type holds. */
TEST(sums_that_fit) {
  static const struct {
    const char *text;
    uint64_t most;
  } sums[] = {{"c", INT32_MAX / 255},
              {"b", 1u << 24},
              {"k", 0},
              {"u", 1},
              {"k > 0", INT32_MAX},
              {"k > 0 ? c : b", INT32_MAX / 255},
              {"c*c", INT32_MAX / 65025},
              {"(u64)c", UINT64_MAX / 255},
              {"i*0", UINT64_MAX}};
  for (size_t r = 0; r < sizeof sums / sizeof *sums; r++) {
    OWNED(rh_exprs) exprs = parse(sums[r].text, &error);
    uint64_t most = sums[r].most;
    ck_assert_msg(!most || rh_exprs_sum_fits(exprs, 0, most), "%s", sums[r].text);
    if (most < UINT64_MAX)
      ck_assert_msg(!rh_exprs_sum_fits(exprs, 0, most + 1 + (most == 0)), "%s", sums[r].text);
  }
}
