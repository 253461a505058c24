/* Products of floats.
 *
 * An order multiplies the elements in any sequence and grouping, and rounds every product.  What it
 * can give:
 *
 * - The sign is the parity of the negative elements, whatever overflows or underflows on the way; a
 *   device that
 *   flushes subnormals may lose that of a zero (OpenCL C 3.0, 7.5.3).
 * - Infinity, where the elements of magnitude 1 and above overflow together; an infinity never
 *   becomes finite again.
 * - Zero, where those below 1 underflow to it together; a zero never becomes anything else but NaN.
 * - NaN, where an order can have both, an infinity and a zero.
 * - A finite number otherwise, so that nothing overflowed on its way: within a bound of the exact
 *   product, relative
 *   where nothing underflows.  The bound is compared as a logarithm, too, since the exact product
 *   may be far outside
 *   of the format, and a relative bound of 1 and more would allow everything.
 *
 * Any other result is wrong.  What an order can give and the exact product is not, is
 * unknown: no other order need give it. */
#include "judged.h"

#include <math.h>

/* A product with at most one element that is not a power of two is not rounded, but for
 * underflow. */
static int is_rounded(const rh_exact_prod *prod) {
  return prod->uneven > 1;
}

/* How far rounding can carry log2 of a product: n times log2(1+u) or -log2(1-u). */
static long double log2_slack(const rh_judged *j) {
  return is_rounded(&j->reference->prod) ? (long double)j->reference->n * 1.5L * j->u : 0;
}

static int can_overflow(const rh_judged *j) {
  return j->reference->n > 1 &&
         rh_exact_prod_up(&j->reference->prod) + log2_slack(j) + j->u >= j->format.emax;
}

/* Below the normal range, where rounding is no longer relative. */
static int can_underflow(const rh_judged *j) {
  return rh_exact_prod_down(&j->reference->prod) + log2_slack(j) > -j->format.emin;
}

/* Down to 0: half of the smallest subnormal is rounded to it. */
static int can_vanish(const rh_judged *j) {
  int least = j->flushes ? j->format.emin : j->format.emin - j->format.digits;
  return (j->reference->n > 1 || j->flushes) &&
         rh_exact_prod_down(&j->reference->prod) + log2_slack(j) >= -least;
}

/* Relative to the product, where nothing underflows: every multiplication errs by at most u. */
static long double relative_bound(const rh_judged *j) {
  long double k = (long double)j->verdict->depth;
  if (!is_rounded(&j->reference->prod)) return 0;
  long double rounding =
      j->reference->n <= j->format.linear_n ? k * j->u : expm1l(k * log1pl(j->u));
  return rounding + rh_exact_prod_precision(&j->reference->prod);
}

/* Underflow errs absolutely, by half of the smallest subnormal a multiplication, or, flushing, by
 * the smallest normal number for every operand and result; what is multiplied to it later is at
 * most 2^up. */
static long double bound_of(const rh_judged *j) {
  long double relative = relative_bound(j), n = (long double)j->reference->n;
  long double bound = relative * fabsl(rh_exact_prod_long(&j->reference->prod));
  if (can_underflow(j)) {
    int smallest = j->flushes ? j->format.emin : j->format.emin - j->format.digits;
    long double count = j->flushes ? 2 * n : n - 1;
    bound += count * (1 + relative) *
             exp2l((long double)smallest + rh_exact_prod_up(&j->reference->prod));
  }
  return RH_ROUND_UP(bound);
}

static void judge_error(const rh_judged *j, long double bound) {
  long double exact = rh_exact_prod_long(&j->reference->prod);
  rh_judged_error(j, exact, fabsl((long double)j->result - exact), bound, fabsl(exact), 'k');
}

/* ---- One check for each kind of result ---- */

/* Powers of two are multiplied exactly, down to where they are 0. */
static void judge_finite(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  long double bound = prod->uneven == 0 ? 0 : bound_of(j);
  int underflows = can_underflow(j);
  if (bound > 0 && !underflows && rh_exact_prod_away(prod, j->result) > log2_slack(j))
    rh_judged_wrong(j, ": no rounding is so far off");
  else if (bound > rh_judged_largest(j) && underflows)
    rh_judged_unknown(j,
                      "how much of the product underflows depends on the order; the sign agrees");
  else
    judge_error(j, bound);
}

static void judge_zero(const rh_judged *j) {
  if (j->reference->result.value.f == 0)
    rh_judged_equal(j);
  else if (!can_vanish(j))
    rh_judged_wrong(j, ": no order underflows");
  else if (fabsl(rh_exact_prod_long(&j->reference->prod)) < ldexpl(1, j->format.emin))
    judge_error(j, bound_of(j));
  else
    rh_judged_unknown(j, "whether a product underflows depends on the order");
}

static void judge_infinity(const rh_judged *j) {
  if (isinf(j->reference->result.value.f))
    rh_judged_equal(j);
  else if (can_overflow(j))
    rh_judged_unknown(j, "whether the product overflows depends on the order; the sign agrees");
  else
    rh_judged_wrong(j, ": no order overflows");
}

static void judge_nan(const rh_judged *j) {
  if (can_overflow(j) && can_vanish(j))
    rh_judged_unknown(
        j, "whether a product overflows, and meets one that underflows, depends on the order");
  else
    rh_judged_wrong(j, ": no order gives NaN");
}

/* Where the input has NaNs, infinities or zeros, which decide alone unless an intermediate result
 * becomes another. */
static void judge_special(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  double expected = j->reference->result.value.f;
  if (rh_equal_floats(expected, j->result) || (expected == 0 && j->result == 0 && j->flushes))
    rh_judged_equal(j);
  else if (isnan(j->result) && prod->infinities && can_vanish(j))
    rh_judged_unknown(j,
                      "whether a product underflows, and meets an infinity, depends on the order");
  else if (isnan(j->result) && prod->zeros && can_overflow(j))
    rh_judged_unknown(j, "whether a product overflows, and meets a zero, depends on the order");
  else
    rh_judged_wrong(j, prod->zeros && !prod->infinities && !prod->nans
                           ? ": the input has zeros"
                           : ": the input has NaN or infinities");
}

void rh_judge_prod(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  int negative = (int)(prod->negatives % 2), any_sign = j->result == 0 && j->flushes;
  j->verdict->depth = j->reference->n > 0 ? j->reference->n - 1 : 0;
  if (prod->nans || prod->infinities || prod->zeros)
    judge_special(j);
  else if (isnan(j->result))
    judge_nan(j);
  else if ((signbit(j->result) != 0) != negative && !any_sign)
    rh_judged_wrong(j, negative ? ": the number of negative elements is odd"
                                : ": the number of negative elements is even");
  else if (isinf(j->result))
    judge_infinity(j);
  else if (j->result == 0)
    judge_zero(j);
  else
    judge_finite(j);
}
