/* The reference and the judge: for every rule a result just inside and one just outside the
 * bound. */
#include "../../host/core/check/check.h"
#include "numbers.h"

/* ---- Helpers ---- */

static rh_reference with_threads(uint32_t op, rh_type type, const void *data, uint64_t n,
                                 uint32_t threads) {
  rh_reference reference;
  must(rh_reference_of_array(&reference, rh_operator_builtin(op, type), data, n, threads, NULL,
                             &error));
  return reference;
}

static rh_reference reference_of(uint32_t op, rh_type type, const void *data, uint64_t n) {
  return with_threads(op, type, data, n, 1);
}

static rh_verdict verdict_of(const rh_reference *reference, rh_result result, uint64_t depth,
                             int flushes) {
  rh_verdict verdict;
  rh_reference_judge(reference, &result, depth, flushes, &verdict);
  ck_assert(verdict.text[0] != 0);
  return verdict;
}

static rh_verdict verdict_on(const rh_reference *reference, double value, uint64_t depth,
                             int flushes) {
  rh_result result = reference->result;
  result.value.f = value;
  return verdict_of(reference, result, depth, flushes);
}

static int judge(const rh_reference *reference, double value) {
  return verdict_on(reference, value, 0, 0).verdict;
}

/* `edge` is the last result on its side that is accepted. */
static void assert_edge(const rh_reference *reference, double edge, uint64_t depth, int flushes) {
  double exact = reference->result.value.f;
  double beyond = nextafter(edge, edge > exact ? INFINITY : -INFINITY);
  rh_verdict verdict = verdict_on(reference, edge, depth, flushes);
  ck_assert_msg(verdict.verdict == RH_VERDICT_OK, "%a: %s", edge, verdict.text);
  ck_assert(verdict.error <= verdict.bound && verdict.error_ulp >= 0);
  verdict = verdict_on(reference, beyond, depth, flushes);
  ck_assert_msg(verdict.verdict == RH_VERDICT_WRONG, "%a: %s", beyond, verdict.text);
  ck_assert(verdict.error >= verdict.bound); /* rounded to double they may be equal */
}

#define F32(op, ...)                                                                               \
  reference_of(RH_OP_##op, RH_TYPE_f32, (const float[]){__VA_ARGS__},                              \
               sizeof((const float[]){__VA_ARGS__}) / sizeof(float))
#define F64(op, ...)                                                                               \
  reference_of(RH_OP_##op, RH_TYPE_f64, (const double[]){__VA_ARGS__},                             \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

#define OK       RH_VERDICT_OK
#define WRONG    RH_VERDICT_WRONG
#define UNJUDGED RH_VERDICT_UNJUDGED

/* ---- Sums ---- */

TEST(sums_have_a_bound) {
  rh_reference r = F32(sum, 1, 1, 1, 1); /* h*u*A + u*S = (3 + 1) * 4 * 2^-24 */
  ck_assert(r.result.value.f == 4 && !r.exact);
  assert_edge(&r, 4 + 0x1p-20, 0, 0);
  assert_edge(&r, 4 - 0x1p-20, 0, 0);
  assert_edge(&r, 4 + 0x1.8p-21, 2, 0);
  assert_edge(&r, 4 + 0x1p-20, 1000, 0); /* adding nothing does not round: h is at most n-1 */
  rh_verdict v = verdict_on(&r, 4 + 0x1p-21, 2, 0);
  ck_assert(v.error == 0x1p-21 && v.error_ulp == 1 && v.depth == 2);
  ck_assert(v.bound >= 0x1.8p-21 && v.bound < 0x1.8001p-21);
  ck_assert_str_eq(v.text, "error 4.77e-07 of at most 7.15e-07 (h = 2)");
  r = F64(sum, 1, 1, 1, 1);
  assert_edge(&r, 4 + 0x1p-49, 0, 0);
  r = F64(sum, 1000, -1000, 1000, -1000); /* A matters */
  assert_edge(&r, 3 * 0x1p-53 * 4000, 0, 0);
  static const uint16_t halves[] = {0x3c00, 0x3c00, 0x3c00, 0x3c00}; /* accumulated in f32 */
  r = reference_of(RH_OP_sum, RH_TYPE_f16, halves, 4);
  ck_assert(r.result.type == RH_TYPE_f32);
  assert_edge(&r, 4 - 0x1p-20, 0, 0);
}

TEST(sums_of_none_and_one_are_exact) {
  rh_reference r = reference_of(RH_OP_sum, RH_TYPE_f32, NULL, 0);
  ck_assert(r.exact && judge(&r, 0) == OK && judge(&r, -0.0) == WRONG && judge(&r, 1e-45) == WRONG);
  r = F32(sum, 0.1f);
  ck_assert_str_eq(verdict_on(&r, (double)0.1f, 0, 0).text, "equal");
  assert_edge(&r, (double)0.1f, 0, 0);
}

/* ---- Verdicts on results of few elements ---- */

/* The operator, the type and the elements, "2*1000": a thousand times 2; results, each with its
 * verdict: '=' right, '!' wrong, '?' not judged; '~' before it: of a device that flushes
 * subnormals. */
#define MOST32  "0x1.fffffep127"
#define MOST64  "0x1.fffffffffffffp1023"
#define HALF32  "0x1.fffffep126"
#define LEAST64 "0x1p-1074"
static const struct {
  const char *problem, *results;
} verdicts[] = {
    {"sum f64 -0", "0= -0= " LEAST64 "!"},
    /* 2n * 2^-126, and next to nothing */
    {"sum f32 0x1p-127 0x1p-127", "0! ~0= ~0x1.4p-124= ~0x1.40001p-124!"},
    {"sum f64 0x1p-1023 0x1p-1023 0x1p-1023 0x1p-1023", "0! ~0= ~0x1.4p-1019= ~0x1.40001p-1019!"},
    {"sum f32 0x1p-127", "~0= ~0x1p-124!"},
    {"sum f32 " MOST32 " " MOST32 " -" MOST32, "inf? nan? -inf? " MOST32 "= 0!"},
    {"sum f32 " HALF32 " 0x1.fffffep125", "0x1.7ffffe8p127= inf! nan!"},
    /* only infinity is left */
    {"sum f32 " MOST32 " " MOST32, "inf= " MOST32 "! -inf! nan!"},
    /* what is below 0 cannot overflow */
    {"sum f32 " MOST32 " -1 " MOST32 " -" HALF32, "inf= -inf! nan!"},
    {"asum f32 " MOST32 " -" MOST32, "inf= -inf! nan!"},
    {"sum f64 " MOST64 " -" MOST64 " 1", "inf? 1= " MOST64 "!"},
    {"sum f64 " MOST64, "inf! " MOST64 "="},
    {"sum f32 1 nan 2", "nan= -nan= 3! inf!"},
    {"sum f32 1 inf 2", "inf= nan! -inf! " MOST32 "!"},
    {"sum f64 inf -inf", "nan= inf! 0!"},
    /* the finite ones may make the other infinity; and here they cannot */
    {"sum f64 -inf " MOST64 " " MOST64, "-inf= nan? 0!"},
    {"sum f64 inf " MOST64 " " MOST64 " -1", "inf= nan!"},
    /* products of powers of two are exact, up to the edges, and mantissas are never flushed */
    {"prod f32 2 -0.5 4 -1 -1", "-4= -0x1.000001p2! -0x1.fffffep1! 4! -2! 0!"},
    {"prod f32 0x1p127 0x1p-126", "2= ~2= 0x1.000001p1! 0x1.fffffep0!"},
    {"prod f64 " MOST64, MOST64 "= 0x1.ffffffffffffep1023! inf!"},
    {"prod f64 " LEAST64, LEAST64 "= 0! ~0!"},
    {"prod f64", "1= -1!"},
    /* on the way nothing underflows */
    {"prod f32 0x1p-100 0x1p-100 0x1p100", "0x1p-100= 0! 0x1p-101! nan! -0!"},
    {"prod f64 0x1p-600 0x1p-600", "0= " LEAST64 "!"},
    {"prod f32 0x1p-60 0x1p-66", "0! 0x1p-126="},
    /* 1.5 of the smallest subnormal, not rounded before; 1.5625, rounded; 0.5625; 0.46875 */
    {"prod f32 0x1.8p-100 0x1p-49", "0x1p-148= 0x1p-149!"},
    {"prod f32 0x1.4p-100 0x1.4p-49", "0x1p-148= 0x1p-149! 0!"},
    {"prod f32 0x1.8p-100 0x1.8p-51", "0x1p-149= 0! 0x1p-148!"},
    {"prod f32 0x1.8p-100 0x1.4p-51", "0= 0x1p-149! -0!"},
    /* the half of it would overflow, and the product does not */
    {"prod f32 0x1p100 0x1p28 0x1p-100", "inf! 0x1p28= 3! -inf! nan!"},
    {"prod f32 0x1.fffffep100 0x1p27", MOST32 "= inf!"},
    {"prod f32 0x1.fffffep100 0x1.000002p27", "inf= 0!"},
    /* 1.5u below what is rounded to infinity, by one rounding and by two */
    {"prod f32 0x1.fffff8p100 0x1.000002p27", "0x1.fffffcp127= inf!"},
    {"prod f32 0x1.fffff8p100 0x1.000002p27 1", MOST32 "= inf="},
    {"prod f64 " MOST64 " 2", "inf= -inf!"},
    {"prod f32 1 nan 0", "nan= 0!"},
    {"prod f32 3 0 inf", "nan= 0! inf!"},
    {"prod f32 -3 inf 0.5", "-inf= inf! nan!"},
    /* what is multiplied before is not 0, and not infinite */
    {"prod f32 0x1p-100 inf 0x1p-100", "inf= nan! 0!"},
    {"prod f32 0x1p100 0 0x1p100", "0= nan! inf!"},
    {"prod f32 3 0 -5", "-0= 0! ~0! nan! 0x1p-149!"},
    /* outside of the range: of any type; some of its elements would underflow; barely */
    {"prod f32 2*1000 1", "inf= 0! -0! -inf! nan! 42! -42!"},
    {"prod f32 -2*1001 1", "-inf= 0! -0! inf! nan! 42! -42!"},
    {"prod f32 1.5*1048576", "inf= 0! -0! -inf! nan! " MOST32 "! -" MOST32 "!"},
    {"prod f32 0.5*1000 1", "0= -0! ~-0! inf! -inf! nan! 42! -42!"},
    {"prod f32 -0.5*1001 1", "-0= 0! inf! -inf! nan! 0x1p-149! -0x1p-149!"},
    {"prod f32 0.75*1048576", "0= -0! inf! -inf! nan! 0x1p-149! -0x1p-149!"},
    {"prod f32 2*1000 0.5*500", "inf= 0! -0! -inf! nan! 42! -42!"},
    {"prod f32 1.5*219", "inf= 0! -0! -inf! nan! " MOST32 "! -" MOST32 "!"},
    /* in the range, and both of its halves are not; and rounded as well */
    {"prod f32 2*500 -0.5*501", "-0.5= 0.5! 0! -0! inf! -inf! nan!"},
    {"prod f32 3*1000 0x1.555556p-2*1000", "1= -1! 0! -0! inf! -inf! nan!"},
    {"asum f32 3 -4 0.5 -0x1p24", "16777224= -16777216.5! 0!"},
    {"asum f64 -inf inf 1", "inf= nan! -inf!"},
    {"asum f32 -inf 1", "inf= 1!"},
    {"asum f64 -1 nan", "nan= 1!"},
    {"amax f32 2 -5 5 nan", "nan= 5!"},
    {"amax f32 2 -5 -0", "5= -5! 2!"},
    {"min f32 3 -0 0 5", "-0= 0! 3!"},
    {"max f64 -0 0 -1", "0= -0! " LEAST64 "!"},
    {"min f64 1 nan 2", "nan= -nan= 1!"},
    {"min f64 inf inf", "inf= " MOST64 "!"},
};
enum { N_VERDICTS = sizeof verdicts / sizeof *verdicts };

TEST_LOOP(few_elements, 0, long_double_works() ? N_VERDICTS : 0) {
  enum { MOST = 1 << 20 };
  static float singles[MOST];
  static double doubles[MOST];
  char op[8], type[8];
  int length;
  uint64_t n = 0;
  const char *at = verdicts[_i].problem;
  ck_assert_int_eq(sscanf(at, "%7s %7s%n", op, type, &length), 2);
  for (at += length; *at;) {
    char *end;
    double x = strtod(at, &end);
    uint64_t times = *end == '*' ? strtoull(end + 1, &end, 10) : 1;
    for (; times; times--, n++) {
      doubles[n] = x;
      singles[n] = (float)x;
    }
    at = end;
  }
  int is_wide = strcmp(type, "f64") == 0;
  rh_reference r = reference_of(rh_op_from_name(op), rh_type_from_name(type),
                                is_wide ? (void *)doubles : (void *)singles, n);
  for (at = verdicts[_i].results; *at;) {
    char *end;
    int flushes = *at == '~';
    double result = strtod(at + flushes, &end);
    int expected = *end == '=' ? OK : *end == '!' ? WRONG : UNJUDGED;
    rh_verdict verdict = verdict_on(&r, result, 0, flushes);
    ck_assert_msg(verdict.verdict == expected, "%s: %s is %d: %s", verdicts[_i].problem, at,
                  verdict.verdict, verdict.text);
    at = end + strcspn(end, " ");
    at += *at == ' ';
  }
}

/* If 0 would be accepted too, the verdict says that the bound alone proves nothing. */
TEST(weak_bounds_are_known) {
  enum { N = 1 << 15 };
  static float x[N];
  for (int i = 0; i < N; i++) x[i] = (float)(random_bits() >> 40) * 0x1p-24f;
  rh_reference r = reference_of(RH_OP_sum, RH_TYPE_f32, x, N);
  double exact = r.result.value.f;
  ck_assert(verdict_on(&r, exact, 0, 0).weak && verdict_on(&r, exact, 1 << 14, 0).weak);
  ck_assert(!verdict_on(&r, exact, 1 << 13, 0).weak && !verdict_on(&r, exact, 1, 0).weak);
  r = reference_of(RH_OP_sum, RH_TYPE_f32, x, N / 4);
  ck_assert(!verdict_on(&r, r.result.value.f, 0, 0).weak);
  for (int i = 0; i < N; i++) x[i] = i % 2 ? 1 + 0x1p-10f : 1 - 0x1p-10f;
  r = reference_of(RH_OP_prod, RH_TYPE_f32, x, N);
  ck_assert(verdict_on(&r, r.result.value.f, 0, 0).weak);
  r = reference_of(RH_OP_prod, RH_TYPE_f32, x, N / 4);
  ck_assert(!verdict_on(&r, r.result.value.f, 0, 0).weak);
  r = F32(sum, FLT_MAX, FLT_MAX, -FLT_MAX); /* and when nothing is judged */
  ck_assert(verdict_on(&r, NAN, 0, 0).weak);
}

/* ---- Products ---- */

TEST(products_have_a_bound) {
  rh_reference r = F32(prod, 3, 5, 7, 0.5f); /* 3u * 52.5 */
  ck_assert(r.result.value.f == 52.5);
  assert_edge(&r, 52.5 + 52.5 * 3 * 0x1p-24, 0, 0);
  assert_edge(&r, 52.5 - 52.5 * 3 * 0x1p-24, 2, 0); /* the depth does not matter */
  r = F64(prod, -3, 5, 7, 0.5);
  ck_assert(judge(&r, -52.5 * (1 + 2 * DBL_EPSILON)) == WRONG && judge(&r, 52.5) == WRONG);
  ck_assert(judge(&r, -52.5 + 0x1p-47) == OK);
  rh_verdict v = verdict_on(&r, -52.5 + 0x1p-47, 0, 0);
  ck_assert(v.error == 0x1p-47 && v.error_ulp == 1 && v.depth == 3);
}

/* Above the size up to which (n-1)*u is proved, (1+u)^(n-1) - 1. */
TEST(products_of_many) {
  enum { N = 1 << 13 };
  static float x[N];
  for (int i = 0; i < N; i++) x[i] = i % 2 ? 1 + 0x1p-10f : 1 - 0x1p-10f;
  rh_reference r = reference_of(RH_OP_prod, RH_TYPE_f32, x, N);
  long double exact = rh_exact_prod_long(&r.prod), f = expm1l((N - 1) * log1pl(0x1p-24L));
  ck_assert(judge(&r, (double)(exact * (1 + 0.99999999L * f))) == OK);
  ck_assert(judge(&r, (double)(exact * (1 + (N - 1) * 0x1p-24L))) == OK);
  ck_assert(judge(&r, (double)(exact * (1 + 1.00000001L * f))) == WRONG);
  r = reference_of(RH_OP_prod, RH_TYPE_f32, x, N / 2);
  exact = rh_exact_prod_long(&r.prod);
  f = (N / 2 - 1) * 0x1p-24L;
  ck_assert(judge(&r, (double)(exact * (1 + 0.99999999L * f))) == OK);
  ck_assert(judge(&r, (double)(exact * (1 + 1.00000001L * f))) == WRONG);
}

/* Mantissas as large as they can be, and then their inverses: each exponent is taken out. */
TEST(values_of_many) {
  enum { N = 4096 };
  static double x[2 * N];
  static float y[2 * N];
  for (int i = 0; i < 2 * N; i++) x[i] = i < N ? 1.9375 : 1 / 1.9375;
  for (int i = 0; i < 2 * N; i++) y[i] = (float)x[i];
  for (int k = 0; k < 2; k++) {
    rh_type type = k ? RH_TYPE_f64 : RH_TYPE_f32;
    const void *data = k ? (void *)x : (void *)y;
    const rh_op *op = rh_op_find(RH_OP_prod, type);
    _Alignas(16) unsigned char value[16];
    rh_result result;
    memcpy(value, op->identity, op->value_size);
    op->fold(value, data, 0, 2 * N);
    rh_op_result(RH_OP_prod, type, value, &result);
    rh_reference r = reference_of(RH_OP_prod, type, data, 2 * N);
    ck_assert_int_eq(judge(&r, result.value.f), OK);
    ck_assert(fabs(result.value.f - 1) < 1e-2);
  }
}

/* With so many elements the relative bound would allow 0, and every number up to twice the
 * product. */
TEST(products_of_very_many) {
  enum { N = 1 << 21 };
  static float x[N];
  for (int i = 0; i < N; i++) x[i] = i < N / 2 ? 1 + 0x1p-23f : 1 - 0x1p-23f;
  rh_reference r = reference_of(RH_OP_prod, RH_TYPE_f32, x, N);
  r.n = UINT64_C(1) << 26;
  ck_assert(judge(&r, 1) == OK && verdict_on(&r, 1, 0, 0).weak);
  ck_assert(judge(&r, 54) == OK && judge(&r, 55) == WRONG); /* e^4; and 2^(1.5 * 4): */
  ck_assert(judge(&r, 1.0 / 63) == OK && judge(&r, 1.0 / 65) == WRONG && judge(&r, 0) == WRONG);
  ck_assert(judge(&r, INFINITY) == WRONG);
}

/* ---- Everything else ---- */

TEST(indices) {
  rh_reference r = F32(argmin, 3, 1, 2, 1);
  rh_result result = r.result;
  ck_assert(result.indexed && result.index == 1 && result.value.f == 1);
  ck_assert_int_eq(verdict_of(&r, result, 0, 0).verdict, OK);
  result.index = 3; /* the same value, but not the first */
  rh_verdict verdict = verdict_of(&r, result, 0, 0);
  ck_assert_int_eq(verdict.verdict, WRONG);
  ck_assert_str_eq(verdict.text, "1 at 3 instead of 1 at 1");
  result.index = 1;
  result.value.f = 2;
  ck_assert_int_eq(verdict_of(&r, result, 0, 0).verdict, WRONG);
}

TEST(integers) {
  static const int8_t x[] = {-128, -128, 127};
  rh_reference r = reference_of(RH_OP_sum, RH_TYPE_i8, x, 3);
  ck_assert(r.exact && r.result.type == RH_TYPE_i64 && r.result.value.i == -129);
  rh_result result = r.result;
  rh_verdict verdict = verdict_of(&r, result, 0, 0);
  ck_assert(verdict.verdict == OK && verdict.error == 0 && verdict.bound == 0);
  result.value.i--;
  verdict = verdict_of(&r, result, 0, 0);
  ck_assert_int_eq(verdict.verdict, WRONG);
  ck_assert_str_eq(verdict.text, "-130 instead of -129");
  static const uint64_t y[] = {UINT64_MAX, 1, 5};
  r = reference_of(RH_OP_sum, RH_TYPE_u64, y, 3);
  ck_assert_uint_eq(r.result.value.u, 5);
  r = reference_of(RH_OP_xor, RH_TYPE_u64, y, 3);
  result = r.result;
  result.value.u ^= UINT64_C(1) << 63;
  ck_assert_int_eq(verdict_of(&r, result, 0, 0).verdict, WRONG);
  result = r.result;
  result.type = RH_TYPE_i64; /* another type is another answer */
  ck_assert_int_eq(verdict_of(&r, result, 0, 0).verdict, WRONG);
}

/* ---- No order of operations is rejected ---- */

static float flushed(float x, int flushes) {
  return flushes && fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

/* Adds two random values and puts the result back, until one is left. */
static float added_in_random_order(float *x, uint64_t n, int flushes) {
  while (n > 1) {
    uint64_t i = random_bits() % n, j = random_bits() % (n - 1);
    float a = x[i];
    x[i] = x[--n];
    a = flushed(a, flushes);
    x[j] = flushed(a + flushed(x[j], flushes), flushes);
  }
  return flushed(x[0], flushes);
}

static float any_float(int spread, int offset) {
  int exponent = (int)(random_bits() % (unsigned)(2 * spread)) - spread + offset;
  return ldexpf((float)(random_bits() % (1 << 24)) * (random_bits() & 1 ? 1 : -1), exponent - 23);
}

TEST(every_order_of_sums_is_accepted) {
  float x[64];
  int judged = 0;
  for (int round = 0; round < 20000; round++) {
    uint64_t n = 1 + random_bits() % 64;
    int flushes = round % 2, spread = (int[]){1, 4, 40, 130}[round / 2 % 4];
    int offset = (int)(random_bits() % 3) * -60;
    for (uint64_t i = 0; i < n; i++) x[i] = any_float(spread, offset);
    rh_reference r = reference_of(RH_OP_sum, RH_TYPE_f32, x, n);
    float result = added_in_random_order(x, n, flushes);
    rh_verdict verdict = verdict_on(&r, (double)result, 0, flushes);
    if (verdict.verdict == WRONG)
      ck_abort_msg("round %d: %a for %a: %s", round, (double)result, r.result.value.f,
                   verdict.text);
    judged += verdict.verdict == OK;
  }
  ck_assert_int_gt(judged, 12500);
}

static double multiplied_in_random_order(const rh_op *op, rh_type type, const void *x, uint64_t n) {
  struct {
    _Alignas(16) unsigned char bytes[16];
  } values[64];
  rh_result result;
  for (uint64_t i = 0; i < n; i++) op->load(&values[i], x, i);
  while (n > 1) {
    uint64_t i = random_bits() % n, j = random_bits() % (n - 1);
    __typeof__(*values) a = values[i];
    values[i] = values[--n];
    op->combine(&values[j], &a);
  }
  rh_op_result(RH_OP_prod, type, values, &result);
  return result.value.f;
}

/* And all of them are judged, wherever they go on their way. */
TEST(every_order_of_products_is_accepted) {
  float singles[64];
  double doubles[64];
  int finite = 0;
  for (int round = 0; round < 20000; round++) {
    rh_type type = round % 2 ? RH_TYPE_f64 : RH_TYPE_f32;
    uint64_t n = 1 + random_bits() % 64;
    const void *x = round % 2 ? (void *)doubles : (void *)singles;
    int spread = (int[]){1, 4, 40, 130}[round / 2 % 4];
    for (uint64_t i = 0; i < n; i++) {
      singles[i] = any_float(spread, 0);
      doubles[i] = ldexp((double)singles[i], 8 * (int)(random_bits() % 200) - 800);
    }
    rh_reference r = reference_of(RH_OP_prod, type, x, n);
    double result = multiplied_in_random_order(rh_op_find(RH_OP_prod, type), type, x, n);
    rh_verdict verdict = verdict_on(&r, result, 0, 0);
    if (verdict.verdict != OK)
      ck_abort_msg("round %d: %a for %a: %s", round, result, r.result.value.f, verdict.text);
    finite += result != 0 && isfinite(result);
  }
  ck_assert_int_gt(finite, 5000);
}

/* asum is judged as a sum of magnitudes, amax and argamax by equality. */
TEST(magnitudes) {
  rh_reference r = F32(asum, 0x1p24f, -0x1p24f);
  assert_edge(&r, 0x1p25 + 4, 1, 0);
  assert_edge(&r, 0x1p25 - 4, 1, 0);
  r = F64(argamax, 2, -5, 5);
  ck_assert(r.result.indexed && r.result.index == 1 && r.result.value.f == 5);
  r = F64(argamax, -0.0, 0.0);
  ck_assert(r.result.index == 0 && r.result.value.f == 0 && !signbit(r.result.value.f));
}

TEST(magnitudes_of_integers) {
  static const int64_t x[] = {3, INT64_MIN, INT64_MIN + 1};
  static const int8_t y[] = {127, -128};
  rh_reference r = reference_of(RH_OP_asum, RH_TYPE_i64, x, 2);
  ck_assert(r.exact && r.result.type == RH_TYPE_u64);
  ck_assert_uint_eq(r.result.value.u, (UINT64_C(1) << 63) + 3);
  r = reference_of(RH_OP_amax, RH_TYPE_i64, x, 3);
  ck_assert(r.result.type == RH_TYPE_u64 && r.result.value.u == UINT64_C(1) << 63);
  r = reference_of(RH_OP_argamax, RH_TYPE_i64, x, 3);
  ck_assert(r.result.index == 1 && r.result.value.u == UINT64_C(1) << 63);
  r = reference_of(RH_OP_amax, RH_TYPE_i8, y, 2);
  ck_assert(r.result.type == RH_TYPE_u8 && r.result.value.u == 128);
  r = reference_of(RH_OP_argamax, RH_TYPE_i8, y, 2);
  ck_assert(r.result.type == RH_TYPE_u8 && r.result.index == 1 && r.result.value.u == 128);
  r = reference_of(RH_OP_asum, RH_TYPE_i8, y, 2);
  ck_assert(r.result.type == RH_TYPE_u64 && r.result.value.u == 255);
}

/* Elements of a map whose functions may err by a part of 2^-20 on a device. */
TEST(errors_of_a_map) {
  static const float x[] = {1, 2, 4};
  rh_reference largest = reference_of(RH_OP_max, RH_TYPE_f32, x, 3);
  rh_reference sum = reference_of(RH_OP_sum, RH_TYPE_f32, x, 3);
  rh_reference product = reference_of(RH_OP_prod, RH_TYPE_f32, x, 3);
  ck_assert_int_eq(judge(&largest, 4 + 0x1p-19), RH_VERDICT_WRONG);
  largest.map_error = sum.map_error = product.map_error = 0x1p-20;
  ck_assert_int_eq(judge(&largest, 4), RH_VERDICT_OK);
  ck_assert_int_eq(judge(&largest, 4 + 0x1p-19), RH_VERDICT_OK);
  ck_assert_int_eq(judge(&largest, 4 - 0x1p-18), RH_VERDICT_OK);
  ck_assert_int_eq(judge(&largest, 4 + 0x1p-17), RH_VERDICT_WRONG);
  rh_verdict verdict = verdict_on(&largest, 4 - 0x1p-18, 0, 0);
  assert_says(verdict.text, "functions of the map");
  ck_assert_int_eq(judge(&sum, 7 + 0x1p-18), RH_VERDICT_OK);
  ck_assert_int_eq(judge(&sum, 7 + 0x1p-15), RH_VERDICT_WRONG);
  ck_assert_int_eq(judge(&product, 8), RH_VERDICT_OK);
  ck_assert_int_eq(judge(&product, 8.5), RH_VERDICT_UNJUDGED);
  largest.map_error = (double)INFINITY;
  ck_assert_int_eq(judge(&largest, 4), RH_VERDICT_OK);
  ck_assert_int_eq(judge(&largest, 4 + 0x1p-20), RH_VERDICT_UNJUDGED);
  ck_assert_int_eq(judge(&largest, (double)NAN), RH_VERDICT_UNJUDGED);
}

/* ---- Threads ---- */

TEST(threads_do_not_matter) {
  enum { N = 2000003 };
  static const uint32_t ops[] = {RH_OP_sum,    RH_OP_prod,   RH_OP_min,
                                 RH_OP_argmin, RH_OP_argmax, RH_OP_xor};
  static uint64_t x[N];
  for (int i = 0; i < N; i++) x[i] = random_bits() >> 1;
  x[1400000] = x[1500000] = UINT64_MAX; /* the first of two */
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    rh_reference one = with_threads(ops[i], RH_TYPE_u64, x, N, 1);
    if (ops[i] == RH_OP_argmax) ck_assert_uint_eq(one.result.index, 1400000);
    for (uint32_t threads = 0; threads <= 7; threads++) {
      rh_reference some = with_threads(ops[i], RH_TYPE_u64, x, N, threads);
      ck_assert_uint_eq(one.result.value.u, some.result.value.u);
      ck_assert_uint_eq(one.result.index, some.result.index);
    }
  }
}

TEST_LOOP(threads_do_not_matter_to_floats, 0, long_double_works()) {
  enum { N = 2000003 };
  static float x[N];
  for (int i = 0; i < N; i++) x[i] = (float)(int32_t)random_bits() * 0x1p-31f;
  rh_reference sum = with_threads(RH_OP_sum, RH_TYPE_f32, x, N, 1);
  rh_reference prod = with_threads(RH_OP_prod, RH_TYPE_f32, x, N, 1);
  for (uint32_t threads = 0; threads <= 7; threads++) {
    rh_reference some = with_threads(RH_OP_sum, RH_TYPE_f32, x, N, threads);
    ck_assert(memcmp(&sum.sum, &some.sum, sizeof sum.sum) == 0);
    ck_assert(sum.result.value.f == some.result.value.f);
    some = with_threads(RH_OP_prod, RH_TYPE_f32, x, N, threads);
    ck_assert(prod.prod.uneven == some.prod.uneven && prod.prod.n == some.prod.n);
    ck_assert(prod.prod.negatives == some.prod.negatives);
    long double ratio = some.prod.magnitude.mantissa / prod.prod.magnitude.mantissa;
    int64_t more = some.prod.magnitude.exponent - prod.prod.magnitude.exponent;
    ck_assert(fabsl(ldexpl(ratio, (int)more) - 1) <= N * LDBL_EPSILON);
  }
}

typedef struct heard {
  int calls, cancel_at;
  uint64_t done, total;
} heard;

static int hear(void *user, const char *phase, uint64_t done, uint64_t total) {
  heard *h = user;
  ck_assert_str_eq(phase, "reference");
  ck_assert(done >= h->done && done <= total);
  h->done = done;
  h->total = total;
  return ++h->calls == h->cancel_at;
}

TEST(progress_and_cancelling) {
  enum { N = 1 << 24 };
  static float x[N];
  for (uint32_t threads = 1; threads <= 4; threads++) {
    heard h = {.cancel_at = 0};
    rh_reporter reporter = {.user = &h, .progress = hear};
    rh_reference reference;
    must(rh_reference_of_array(&reference, rh_operator_builtin(RH_OP_sum, RH_TYPE_f32), x, N,
                               threads, &reporter, &error));
    ck_assert(h.calls >= 1 && h.calls < 1000 && h.total == N);
    h = (heard){.cancel_at = 1};
    ck_assert_int_eq(rh_reference_of_array(&reference, rh_operator_builtin(RH_OP_sum, RH_TYPE_f32),
                                           x, N, threads, &reporter, &error),
                     RH_E_CANCELLED);
    ck_assert(h.calls == 1 && h.done < N && error.status == RH_E_CANCELLED);
  }
}
