/* Products of floats.
 *
 * An order multiplies the elements in any sequence and grouping, and rounds every product.  Values
 * keep their exponents apart (core/operation), so that nothing overflows or underflows on the way:
 * only the product does, when it becomes a result.  So every order gives
 *
 * - the sign that the number of negative elements says;
 * - NaN, an infinity or a zero where the elements have one, as IEEE 754 combines these;
 * - otherwise what a number within a relative bound of the exact product is rounded to: a number,
 *   infinity or zero.  Whether that number is too small is compared as a logarithm too, because the
 *   exact product may be far outside of the format, and a relative bound of 1 and more would allow
 *   everything down to 0.
 *
 * Any other result is wrong. */
#include "check.h"

/* A product with at most one element that is not a power of two is not rounded, except when it
 * becomes a result. */
static int is_rounded(const rh_exact_prod *prod) { return prod->uneven > 1; }

/* How far rounding can carry log2 of a product: n times log2(1+u) or -log2(1-u). */
static long double log2_slack(const rh_judged *j) {
  return (long double)j->reference->n * 1.5L * j->u;
}

/* Every multiplication errs by at most u. */
long double rh_judge_prod_relative(const rh_judged *j) {
  long double k = (long double)j->verdict->depth;
  long double rounding =
      j->reference->n <= j->format.linear_n ? k * j->u : expm1l(k * log1pl(j->u));
  return rounding + rh_exact_prod_precision(&j->reference->prod);
}

/* A result in the subnormal range, or 0, can differ by this from the number that it was. */
static long double conversion_bound(const rh_judged *j) {
  long double magnitude = fabsl((long double)j->result);
  return magnitude <= ldexpl(1, j->format.emin) ? ldexpl(1, j->format.emin - j->format.digits) : 0;
}

static void judge_error(const rh_judged *j, long double bound) {
  long double exact = rh_exact_prod_long(&j->reference->prod);
  rh_judged_error(j, exact, fabsl((long double)j->result - exact), bound, fabsl(exact), 'k');
}

static void judge_exact(const rh_judged *j) {
  if (rh_equal_floats(j->reference->result.value.f, j->result)) rh_judged_equal(j);
  else judge_error(j, 0);
}

static void judge_number(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  long double magnitude = fabsl((long double)j->result), moved = conversion_bound(j);
  long double relative = rh_judge_prod_relative(j);
  if (rh_exact_prod_distance(prod, magnitude + moved) < -log2_slack(j)) {
    rh_judged_wrong(j, ": no rounding is so far off");
    return;
  }
  judge_error(j, RH_ROUND_UP(relative * fabsl(rh_exact_prod_long(prod)) + moved));
  if (relative >= 1) j->verdict->weak = 1;
}

/* The product itself overflows, or its error may carry it to where it does. */
static void judge_infinity(const rh_judged *j) {
  long double least = ldexpl(1, j->format.emax) - ldexpl(1, j->format.emax - j->format.digits - 1);
  if (isinf(j->reference->result.value.f)) {
    rh_judged_equal(j);
  } else if (rh_exact_prod_distance(&j->reference->prod, least) <=
             fminl(log2_slack(j), RH_ROUND_UP(log1pl(rh_judge_prod_relative(j)) / logl(2)))) {
    rh_verdict_say(j->verdict, RH_VERDICT_OK, NAN, "overflows within its rounding errors");
    j->verdict->weak = 1;
  } else {
    rh_judged_wrong(j, ": no order overflows");
  }
}

/* Where the input has NaNs, infinities or zeros, which decide alone. */
static void judge_special(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  if (rh_equal_floats(j->reference->result.value.f, j->result)) rh_judged_equal(j);
  else
    rh_judged_wrong(j, prod->zeros && !prod->infinities && !prod->nans
                           ? ": the input has zeros"
                           : ": the input has NaN or infinities");
}

void rh_judge_prod(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  int negative = (int)(prod->negatives % 2);
  j->verdict->depth = j->reference->n > 0 ? j->reference->n - 1 : 0;
  if (prod->nans || prod->infinities || prod->zeros) judge_special(j);
  else if (isnan(j->result)) rh_judged_wrong(j, ": no order gives NaN");
  else if ((signbit(j->result) != 0) != negative)
    rh_judged_wrong(j, negative ? ": the number of negative elements is odd"
                                : ": the number of negative elements is even");
  else if (!is_rounded(prod)) judge_exact(j);
  else if (isinf(j->result)) judge_infinity(j);
  else if (j->result == 0 && j->reference->result.value.f == 0) rh_judged_equal(j);
  else judge_number(j);
}
