/* Verdicts on maps whose functions err: what a device may compute passes, and what none may does
 * not. */
#include <float.h>

#include "custom_support.h"

enum { N = 3001 };
static float x[N];

static rh_custom *make(const char *op, const char *map) {
  const rh_definition definition = {.ops = op, .map = map};
  return made_over_x(&definition, RH_TYPE_f32);
}

static rh_reference refer(const rh_custom *self, uint64_t n) {
  rh_reference reference;
  uint64_t constants[RH_EXPR_MOST_SLOTS] = {0};
  self->face.calls->bind(&self->face, n, constants);
  rh_arrays arrays = {.operands = {x}, .constants = constants};
  must(rh_reference_compute(&reference, &self->face, &arrays, n, 1, NULL, &error));
  return reference;
}

static rh_verdict judge(const rh_reference *reference, double result, int flushes) {
  rh_verdict verdict;
  rh_result of = reference->result;
  if (of.type == RH_TYPE_f32 || of.type == RH_TYPE_f64)
    of.value.f = of.type == RH_TYPE_f32 ? (double)(float)result : result;
  else of.value.i = (int64_t)result;
  rh_reference_judge(reference, &of, 0, flushes, &verdict);
  /* What is told of a verdict agrees with it. */
  if (verdict.bound > 0 && verdict.verdict != RH_VERDICT_UNJUDGED && isfinite(verdict.error))
    ck_assert_msg((verdict.error <= verdict.bound) == (verdict.verdict == RH_VERDICT_OK),
                  "an error of %g, a bound of %g: %s", verdict.error, verdict.bound, verdict.text);
  return verdict;
}

/* k units in the last place of a float */
static float off(long double exact, double k) {
  int exponent;
  frexpl(exact, &exponent);
  if (exact == 0) return 0;
  if (exponent < FLT_MIN_EXP) exponent = FLT_MIN_EXP;
  return (float)(exact + k * ldexpl(1, exponent - 24));
}

/* Maps as another device may compute them: each call errs by `sign` times what OpenCL C allows. */
static float exp_x(float a, int sign) { return off(expl((long double)a), 3 * sign); }
static float x_exp(float a, int sign) { return a * exp_x(a, sign); }
static float softplus(float a, int sign) {
  float inner = exp_x(a, sign) + 1;
  return off(logl((long double)inner), 3 * sign);
}
static float wave(float a, int sign) {
  return off(sinl((long double)a), 4 * sign) - off(cosl((long double)a), -4 * sign);
}
static float quotient(float a, int sign) { return a / (1 + exp_x(-a, -sign)); }
static float cube(float a, int sign) {
  return off(powl((long double)a, 3), (a < 0 ? -16 : 16) * sign);
}

typedef struct map {
  const char *text;
  float (*device)(float a, int sign);
} map;
static const map maps[] = {
    {"exp(x)", exp_x},         {"x*exp(x)", x_exp},           {"log(exp(x) + 1)", softplus},
    {"sin(x) - cos(x)", wave}, {"x/(1 + exp(-x))", quotient}, {"pow(x, 3)", cube}};
enum { MAPS = sizeof maps / sizeof *maps };

static void fill(double from, double to) {
  for (int k = 0; k < N; k++) x[k] = (float)(from + (to - from) * k / (N - 1));
}

/* Data over several ranges; each device errs the same way everywhere, which is the worst. */
TEST(sums) {
  static const double ranges[][2] = {{0, 1}, {-8, 8}, {-80, 20}, {-1e-30, 1e-30}};
  for (int k = 0; k < MAPS; k++) {
    OWNED(rh_custom) sum = make("sum", maps[k].text);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
      fill(ranges[r][0], ranges[r][1]);
      rh_reference reference = refer(sum, N);
      for (int sign = -1; sign <= 1; sign++) {
        double of_device = 0;
        for (int j = 0; j < N; j++) of_device += (double)maps[k].device(x[j], sign);
        rh_verdict right = judge(&reference, of_device, 0);
        ck_assert_msg(right.verdict == RH_VERDICT_OK, "%s %g: %s", maps[k].text, ranges[r][1],
                      right.text);
        /* An infinity of the map, or a bound that nothing exceeds: not wrong. */
        double beyond = of_device + (sign < 0 ? -3 : 3) * (right.bound + fabs(of_device) * 1e-6);
        if (!(right.bound > 0)) continue;
        rh_verdict wrong = judge(&reference, beyond, 0);
        ck_assert_msg(wrong.verdict == RH_VERDICT_WRONG, "%s %g: %.17g %s", maps[k].text,
                      ranges[r][1], beyond, wrong.text);
      }
      /* an element left out, and one counted twice */
      double whole = reference.result.value.f, most = 0;
      for (int j = 0; j < N; j++) most = fmax(most, fabs((double)maps[k].device(x[j], 0)));
      if (r > 1) continue;
      ck_assert_msg(judge(&reference, whole - most, 0).verdict == RH_VERDICT_WRONG, "%s",
                    judge(&reference, whole - most, 0).text);
      ck_assert_int_eq(judge(&reference, whole + most, 0).verdict, RH_VERDICT_WRONG);
    }
  }
}

TEST(extremes) {
  fill(-3, 2);
  for (int k = 0; k < MAPS; k++)
    for (int is_max = 0; is_max < 2; is_max++) {
      OWNED(rh_custom) end = make(is_max ? "max" : "min", maps[k].text);
      rh_reference reference = refer(end, N);
      for (int sign = -1; sign <= 1; sign++) {
        double of_device = (double)maps[k].device(x[0], sign);
        for (int j = 1; j < N; j++) {
          double one = (double)maps[k].device(x[j], sign);
          of_device = is_max ? fmax(of_device, one) : fmin(of_device, one);
        }
        rh_verdict right = judge(&reference, of_device, 0);
        ck_assert_msg(right.verdict == RH_VERDICT_OK, "%s: %s", maps[k].text, right.text);
        if (right.error > 0) ck_assert_double_gt(right.bound, 0);
      }
      double size = fabs(reference.result.value.f) + 0.01;
      ck_assert_int_eq(judge(&reference, reference.result.value.f + size * 1e-4, 0).verdict,
                       RH_VERDICT_WRONG);
      ck_assert_int_eq(judge(&reference, reference.result.value.f - size * 1e-4, 0).verdict,
                       RH_VERDICT_WRONG);
      ck_assert_int_eq(judge(&reference, (double)NAN, 0).verdict, RH_VERDICT_WRONG);
    }
}

/* How many are on the other side of a threshold is known but for those next to it. */
TEST(counts) {
  OWNED(rh_custom) count = make("sum", "exp(x) > 1");
  fill(-1, 1);
  x[7] = x[8] = 0x1p-30f; /* exp(x) is 1 or the next number */
  rh_reference reference = refer(count, N);
  int64_t host = reference.result.value.i;
  ck_assert_int_eq(judge(&reference, (double)host, 0).verdict, RH_VERDICT_OK);
  int right = 0;
  for (int d = -10; d <= 10; d++)
    right += judge(&reference, (double)(host + d), 0).verdict == RH_VERDICT_OK;
  ck_assert_double_gt(judge(&reference, (double)(host + 1), 0).bound, 0);
  ck_assert_int_ge(right, 3); /* the two, and the element 0 */
  ck_assert_int_le(right, 5);
  ck_assert_int_eq(judge(&reference, (double)(host + 10), 0).verdict, RH_VERDICT_WRONG);
}

/* Never a word more than is true: then a result is not judged, and none is called wrong. */
TEST(what_is_not_known) {
  static const char *const texts[] = {"1/(exp(x) - 1)", "tan(exp(x)*1e6f)",
                                      "as_float(as_int(exp(x)))", "fmod(exp(x), 0.5f)"};
  fill(-1, 1);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    OWNED(rh_custom) sum = make("sum", texts[k]);
    rh_reference reference = refer(sum, N);
    ck_assert_msg(judge(&reference, 1e9, 0).verdict == RH_VERDICT_UNJUDGED, "%s", texts[k]);
  }
  OWNED(rh_custom) sum = make("sum", "x*exp(x)");
  rh_reference reference = refer(sum, N);
  ck_assert_int_eq(judge(&reference, 1e9, 0).verdict, RH_VERDICT_WRONG);
  ck_assert_int_eq(judge(&reference, 1e9, 1).verdict, RH_VERDICT_UNJUDGED); /* it flushes */
  ck_assert_int_eq(judge(&reference, (double)INFINITY, 0).verdict, RH_VERDICT_UNJUDGED);
  rh_custom_destroy(sum);
  /* overflow: another device may have a number where the host has infinity */
  fill(88.7, 88.8);
  sum = make("sum", "1/exp(x)*0 + exp(x)");
  reference = refer(sum, N);
  ck_assert_int_eq(judge(&reference, 1e9, 0).verdict, RH_VERDICT_UNJUDGED);
}

TEST(parts) {
  OWNED(rh_custom) sum = make("sum", "x*exp(x)");
  rh_reference whole;
  fill(-1, 1);
  rh_reference at_once = refer(sum, N), part = refer(sum, 1000);
  rh_reference_init(&whole, &sum->face);
  rh_reference_add(&whole, &part);
  memmove(x, x + 1000, (N - 1000) * sizeof *x);
  part = refer(sum, N - 1000);
  rh_reference_add(&whole, &part);
  rh_reference_conclude(&whole);
  ck_assert_uint_eq(whole.enclosed.n, N);
  ck_assert_double_eq_tol(whole.enclosed.above, at_once.enclosed.above,
                          1e-12 * at_once.enclosed.above);
  rh_verdict verdict = judge(&whole, whole.result.value.f * (1 + 1e-6), 0);
  ck_assert_int_eq(verdict.verdict, RH_VERDICT_OK);
  assert_says(verdict.text, ", of which the functions of the map ");
  ck_assert_int_eq(judge(&whole, whole.result.value.f + 100, 0).verdict, RH_VERDICT_WRONG);
}
