/* Does a result agree with the exact reference, and by how much may it differ?
 *
 * The bounds can be proved for every order of operations; none is a tolerance.  Sources: Higham,
 * Accuracy and Stability of Numerical Algorithms (2002), chapter 4; Rump, Error estimation of
 * floating-point summation and dot product (BIT 2012); Jeannerod and Rump, Improved error bounds
 * for inner products in floating-point arithmetic (SIMAX 2013); Rump, Bünger and Jeannerod,
 * Improved error bounds for floating-point products and Horner's scheme (BIT 2016). */
#include "../base/vocabulary.h"
#include "reference.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The float type that a result is computed in and has. */
typedef struct judge_format {
  int digits;        /* of the significand */
  int emin, emax;    /* the smallest normal number is 2^emin, and 2^emax overflows */
  uint64_t linear_n; /* products of so many elements err by (n-1)*u and no more: Rump, Bünger,
                        Jeannerod 2016 */
} judge_format;

/* What is judged; the judges below share it. */
typedef struct judged {
  const rh_reference *reference;
  double result;
  long double u; /* unit roundoff */
  judge_format format;
  int flushes;
  rh_verdict *verdict;
} judged;

/* Bounds are rounded up by this: more than the few operations that compute them can lose. */
#define ROUND_UP(x) ((x) * (1 + 16 * LDBL_EPSILON))

static judge_format format_of(rh_type type) {
  static const judge_format f32 = {24, -126, 128, UINT64_C(1) << 12};
  static const judge_format f64 = {53, -1022, 1024, UINT64_C(1) << 26};
  return type == RH_TYPE_f64 ? f64 : f32;
}

static long double power_of_two(int exponent) {
  return ldexpl(1, exponent);
}

/* ---- Verdicts ---- */

__attribute__((format(printf, 4, 5))) static void say(rh_verdict *verdict, int kind, double error,
                                                      const char *text, ...) {
  va_list args;
  va_start(args, text);
  vsnprintf(verdict->text, sizeof verdict->text, text, args);
  va_end(args);
  verdict->verdict = kind;
  verdict->error = verdict->bound = verdict->error_ulp = error;
}

static void say_equal(rh_verdict *verdict) {
  say(verdict, RH_VERDICT_OK, 0, "equal");
}

static void say_unjudged(const judged *j, const char *why) {
  say(j->verdict, RH_VERDICT_UNJUDGED, NAN, "%s", why);
}

/* `why` says why there is no other answer; may be "". */
static void say_wrong(const judged *j, const char *why) {
  int digits = j->format.digits == 24 ? 9 : 17;
  say(j->verdict, RH_VERDICT_WRONG, NAN, "%.*g instead of %.*g%s", digits, j->result, digits,
      j->reference->result.value.f, why);
}

/* The distance of neighbouring numbers of the format at x. */
static long double ulp_at(const judge_format *format, long double x) {
  int exponent;
  frexpl(x, &exponent);
  if (x == 0 || exponent - 1 < format->emin) exponent = format->emin + 1;
  return power_of_two(exponent - format->digits);
}

static double double_up(long double x) {
  double rounded = (double)x;
  return (long double)rounded < x ? nextafter(rounded, INFINITY) : rounded;
}

/* `letter`: what the depth is called. */
static void say_error(const judged *j, long double exact, long double error, long double bound,
                      char letter) {
  rh_verdict *verdict = j->verdict;
  verdict->verdict = error <= bound ? RH_VERDICT_OK : RH_VERDICT_WRONG;
  verdict->error = double_up(error);
  verdict->bound = double_up(bound);
  verdict->error_ulp = (double)(error / ulp_at(&j->format, exact));
  if (error == 0 && bound == 0)
    snprintf(verdict->text, sizeof verdict->text, "equal");
  else
    snprintf(verdict->text, sizeof verdict->text, "error %.3Lg of at most %.3Lg (%c = %" PRIu64 ")",
             error, bound, letter, verdict->depth);
}

/* ---- Operators that every order computes alike ---- */

static int equal_floats(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && !signbit(a) == !signbit(b);
}

static int equal_values(const rh_result *a, const rh_result *b) {
  return rh_type_is_float(a->type) ? equal_floats(a->value.f, b->value.f)
                                   : a->value.u == b->value.u;
}

static void print_result(char *text, size_t size, const rh_result *result) {
  int n;
  if (rh_type_is_float(result->type))
    n = snprintf(text, size, "%.17g", result->value.f);
  else if (rh_type_is_signed(result->type))
    n = snprintf(text, size, "%" PRId64, result->value.i);
  else
    n = snprintf(text, size, "%" PRIu64, result->value.u);
  if (result->indexed && n > 0 && (size_t)n < size)
    snprintf(text + n, size - (size_t)n, " at %" PRIu64, result->index);
}

static void judge_exact(const rh_result *expected, const rh_result *result, rh_verdict *verdict) {
  char is[64], should[64];
  if (equal_values(expected, result) && (!expected->indexed || expected->index == result->index)) {
    say_equal(verdict);
    return;
  }
  print_result(is, sizeof is, result);
  print_result(should, sizeof should, expected);
  say(verdict, RH_VERDICT_WRONG, NAN, "%s instead of %s", is, should);
}

/* ---- Sums ---- */

/* Can an order overflow?  No intermediate result exceeds the sum of magnitudes by more than its
 * error. */
static int sum_can_overflow(const judged *j, long double h) {
  long double largest =
      power_of_two(j->format.emax) - power_of_two(j->format.emax - j->format.digits);
  return h > 0 && ROUND_UP(rh_exact_abs_up(&j->reference->sum) * (1 + h * j->u)) > largest;
}

/* Where S is NaN or infinite because an element is. */
static void judge_special_sum(const judged *j, long double h) {
  double expected = j->reference->result.value.f;
  if (equal_floats(expected, j->result))
    say_equal(j->verdict);
  else if (!isnan(expected) && isnan(j->result) && sum_can_overflow(j, h))
    say_unjudged(j, "whether the finite elements overflow, and meet an infinity of the other sign, "
                    "depends on the order");
  else
    say_wrong(j, ": the input has NaN or infinities");
}

/* Each element passes through at most h additions, each of which errs by at most u of what it adds
 * up (Higham 4.2); terms of higher order are not needed (Rump 2012; Jeannerod and Rump 2013). */
static long double sum_bound(const judged *j, long double h) {
  const rh_reference *reference = j->reference;
  long double bound = 0;
  if (h > 0)
    bound = h * j->u * rh_exact_abs_up(&reference->sum) +
            j->u * fabsl(rh_exact_sum_long(&reference->sum));
  /* Flushed to zero may be every element and every result of an addition. */
  if (j->flushes)
    bound += 2 * (long double)reference->n * (1 + h * j->u) * power_of_two(j->format.emin);
  return ROUND_UP(bound);
}

static void judge_sum(const judged *j, uint64_t depth) {
  const rh_exact_sum *sum = &j->reference->sum;
  uint64_t most = j->reference->n > 0 ? j->reference->n - 1 : 0;
  j->verdict->depth = depth == 0 || depth > most ? most : depth;
  long double h = (long double)j->verdict->depth;
  if (sum->nans || sum->plus_infinities || sum->minus_infinities) {
    judge_special_sum(j, h);
  } else if (isfinite(j->result)) {
    /* Nothing overflowed on the way: an infinity never becomes finite again. */
    say_error(j, rh_exact_sum_long(sum), rh_exact_sum_error(sum, j->result), sum_bound(j, h), 'h');
  } else if (j->result == j->reference->result.value.f) {
    say_equal(j->verdict);
  } else if (sum_can_overflow(j, h)) {
    say_unjudged(j, "whether the sum overflows depends on the order");
  } else {
    say_wrong(j, ": no order overflows");
  }
}

/* ---- Products ---- */

/* A product with at most one element that is no power of two is not rounded, but for underflow. */
static int is_rounded(const rh_exact_prod *prod) {
  return prod->uneven > 1;
}

/* How far rounding can carry log2 of an intermediate product: n times log2(1+u) or -log2(1-u). */
static long double log2_slack(const judged *j) {
  return is_rounded(&j->reference->prod) ? (long double)j->reference->n * 1.5L * j->u : 0;
}

static int prod_can_overflow(const judged *j) {
  return j->reference->n > 1 &&
         rh_exact_prod_up(&j->reference->prod) + log2_slack(j) + j->u >= j->format.emax;
}

static int prod_can_underflow(const judged *j) {
  return rh_exact_prod_down(&j->reference->prod) + log2_slack(j) > -j->format.emin;
}

/* Relative to the product, where nothing underflows: every multiplication errs by at most u. */
static long double prod_relative_bound(const judged *j) {
  long double k = (long double)j->verdict->depth;
  if (!is_rounded(&j->reference->prod)) return 0;
  long double rounding =
      j->reference->n <= j->format.linear_n ? k * j->u : expm1l(k * log1pl(j->u));
  return rounding + rh_exact_prod_precision(&j->reference->prod);
}

/* Underflow errs absolutely, by half of the smallest subnormal a multiplication, or, flushing, by
 * the smallest normal number for every operand and result; what is multiplied to it later is at
 * most 2^up. */
static long double prod_bound(const judged *j) {
  long double relative = prod_relative_bound(j), n = (long double)j->reference->n;
  long double bound = relative * fabsl(rh_exact_prod_long(&j->reference->prod));
  if (prod_can_underflow(j)) {
    int smallest = j->flushes ? j->format.emin : j->format.emin - j->format.digits;
    long double count = j->flushes ? 2 * n : n - 1;
    bound += count * (1 + relative) *
             exp2l((long double)smallest + rh_exact_prod_up(&j->reference->prod));
  }
  return ROUND_UP(bound);
}

/* Where the input has NaNs, infinities or zeros, which decide alone unless an intermediate result
 * becomes another. */
static void judge_special_prod(const judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  double expected = j->reference->result.value.f;
  if (equal_floats(expected, j->result) || (expected == 0 && j->result == 0))
    say_equal(j->verdict);
  else if (isnan(j->result) && prod->infinities && prod_can_underflow(j))
    say_unjudged(j, "whether a product underflows, and meets an infinity, depends on the order");
  else if (isnan(j->result) && prod->zeros && prod_can_overflow(j))
    say_unjudged(j, "whether a product overflows, and meets a zero, depends on the order");
  else
    say_wrong(j, prod->zeros && !prod->infinities && !prod->nans
                     ? ": the input has zeros"
                     : ": the input has NaN or infinities");
}

static void judge_prod(const judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  long double exact = rh_exact_prod_long(prod);
  j->verdict->depth = j->reference->n > 0 ? j->reference->n - 1 : 0;
  if (prod->nans || prod->infinities || prod->zeros)
    judge_special_prod(j);
  else if (prod_can_overflow(j) && equal_floats(j->reference->result.value.f, j->result))
    say_equal(j->verdict);
  else if (prod_can_overflow(j))
    say_unjudged(j, "whether the product overflows depends on the order");
  else if (!isfinite(j->result))
    say_wrong(j, ": no order overflows");
  else
    say_error(j, exact, fabsl((long double)j->result - exact), prod_bound(j), 'k');
}

/* ---- The judge ---- */

void rh_reference_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                        int flushes, rh_verdict *verdict) {
  memset(verdict, 0, sizeof *verdict);
  if (result->type != reference->result.type || result->indexed != reference->result.indexed) {
    const char *is = rh_type_name(result->type), *should = rh_type_name(reference->result.type);
    say(verdict, RH_VERDICT_WRONG, NAN, "a result of type %s%s instead of %s%s", is ? is : "?",
        result->indexed ? " with an index" : "", should ? should : "?",
        reference->result.indexed ? " with an index" : "");
    return;
  }
  if (reference->exact) {
    judge_exact(&reference->result, result, verdict);
    return;
  }
  judged j = {
      .reference = reference, .result = result->value.f, .flushes = flushes, .verdict = verdict};
  j.format = format_of(result->type);
  j.u = power_of_two(-j.format.digits);
  if (reference->op == RH_OP_prod)
    judge_prod(&j);
  else
    judge_sum(&j, depth);
}
