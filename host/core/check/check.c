/* Does a result agree with the exact reference, and by how much may it differ?
 *
 * The bounds can be proved for every order of operations; none is a tolerance.  Sources: Higham,
 * Accuracy and Stability of Numerical Algorithms (2002), chapter 4; Rump, Error estimation of
 * floating-point summation and dot product (BIT 2012); Jeannerod and Rump, Improved error bounds
 * for inner products in floating-point arithmetic (SIMAX 2013); Rump, Bünger and Jeannerod,
 * Improved error bounds for floating-point products and Horner's scheme (BIT 2016). */
#include "check.h"

/* ---- Verdicts ---- */

/* A bound above this part of what it bounds is not a check alone: on data whose sum is small
 * against the sum of magnitudes, a result that has nothing to do with them would pass.  Below it,
 * what is lost is less than a thousandth. */
int rh_judged_is_weak(long double bound, long double magnitude) {
  return bound > 0x1p-10L * magnitude;
}

rh_judge_format rh_judge_format_of(rh_type type) {
  static const rh_judge_format f32 = {24, 0x1p-24L, -126, 128, UINT64_C(1) << 12};
  static const rh_judge_format f64 = {53, 0x1p-53L, -1022, 1024, UINT64_C(1) << 26};
  return type == RH_TYPE_f64 ? f64 : f32;
}

long double rh_judged_largest(const rh_judged *j) {
  return ldexpl(1, j->format.emax) - ldexpl(1, j->format.emax - j->format.digits);
}

void rh_verdict_say(rh_verdict *verdict, int kind, double error, const char *text, ...) {
  va_list args;
  va_start(args, text);
  vsnprintf(verdict->text, sizeof verdict->text, text, args);
  va_end(args);
  verdict->verdict = kind;
  verdict->error = verdict->bound = verdict->error_ulp = error;
}

static void judged_equal(const rh_judged *j) {
  rh_verdict_say(j->verdict, RH_VERDICT_OK, 0, "equal");
}

static void judged_unknown(const rh_judged *j, const char *why) {
  rh_verdict_say(j->verdict, RH_VERDICT_UNJUDGED, NAN, "%s", why);
  j->verdict->weak = 1;
}

static void judged_wrong(const rh_judged *j, const char *why) {
  int digits = j->format.digits == 24 ? 9 : 17;
  rh_verdict_say(j->verdict, RH_VERDICT_WRONG, NAN, "%.*g instead of %.*g%s", digits, j->result,
                 digits, j->reference->result.value.f, why);
}

/* Where only one result is right. */
static void judged_alone(const rh_judged *j, const char *why) {
  if (rh_equal_floats(j->result, j->reference->result.value.f)) judged_equal(j);
  else judged_wrong(j, why);
}

/* The distance of neighbouring numbers of the format at x. */
static long double ulp_at(const rh_judge_format *format, long double x) {
  int exponent;
  frexpl(x, &exponent);
  if (x == 0 || exponent - 1 < format->emin) exponent = format->emin + 1;
  return ldexpl(1, exponent - format->digits);
}

double rh_judged_ulps(rh_type type, double x, double error) {
  const rh_judge_format format = rh_judge_format_of(type);
  return (double)((long double)error / ulp_at(&format, (long double)x));
}

static double double_up(long double x) {
  double rounded = (double)x;
  return (long double)rounded < x ? nextafter(rounded, INFINITY) : rounded;
}

static void judged_error(const rh_judged *j, long double exact, long double error,
                         long double bound, long double magnitude, char letter) {
  rh_verdict *verdict = j->verdict;
  verdict->verdict = error <= bound ? RH_VERDICT_OK : RH_VERDICT_WRONG;
  verdict->error = double_up(error);
  verdict->bound = double_up(bound);
  verdict->weak = rh_judged_is_weak(bound, magnitude);
  verdict->error_ulp = (double)(error / ulp_at(&j->format, exact));
  if (error == 0 && bound == 0) snprintf(verdict->text, sizeof verdict->text, "equal");
  else
    snprintf(verdict->text, sizeof verdict->text, "error %.3Lg of at most %.3Lg (%c = %" PRIu64 ")",
             error, bound, letter, verdict->depth);
}

int rh_equal_floats(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && !signbit(a) == !signbit(b);
}

/* ---- Operators that every order computes alike ---- */

static void print_result(char text[96], const rh_result *result) {
  size_t n = strlen(rh_format_exact(text, result));
  if (result->indexed) snprintf(text + n, 96 - n, " at %" PRIu64, result->index);
}

static void judge_exact(const rh_result *expected, const rh_result *result, rh_verdict *verdict) {
  char is[96], should[96];
  int is_equal = rh_type_is_float(expected->type)
                     ? rh_equal_floats(expected->value.f, result->value.f)
                     : expected->value.u == result->value.u;
  if (is_equal && (!expected->indexed || expected->index == result->index)) {
    rh_verdict_say(verdict, RH_VERDICT_OK, 0, "equal");
    return;
  }
  print_result(is, result);
  print_result(should, expected);
  rh_verdict_say(verdict, RH_VERDICT_WRONG, NAN, "%s instead of %s", is, should);
}

/* ---- Sums ---- */

/* The h of the bound, from what is declared. */
static void set_depth(const rh_judged *j, uint64_t declared) {
  uint64_t n = j->reference->n, most = n > 0 ? n - 1 : 0;
  j->verdict->depth = declared == 0 || declared > most ? most : declared;
}

/* Can any order overflow with this sign?  No intermediate result exceeds the sum of the elements
 * of that sign by more than the rounding error. */
static int can_overflow(const rh_judged *j, const rh_fixed *side) {
  long double h = (long double)j->verdict->depth;
  return h > 0 &&
         RH_ROUND_UP(rh_fixed_rounded(side, 0, 1) * (1 + h * j->format.u)) > rh_judged_largest(j);
}

/* The case that S is NaN or infinite because an element is. */
static void judge_special_sum(const rh_judged *j) {
  const rh_exact_sum *sum = &j->reference->sum;
  double expected = j->reference->result.value.f;
  if (isinf(expected) && isnan(j->result) &&
      can_overflow(j, expected > 0 ? &sum->negative : &sum->positive))
    judged_unknown(j,
                   "whether the finite elements overflow, and meet an infinity of the other sign, "
                   "depends on the order");
  else judged_alone(j, ": the input has NaN or infinities");
}

/* The case that S is finite but the result is not: an infinity has the sign of the elements that
 * overflow, and NaN needs overflows of both signs. */
static void judge_overflow(const rh_judged *j) {
  const rh_exact_sum *sum = &j->reference->sum;
  int up = can_overflow(j, &sum->positive), down = can_overflow(j, &sum->negative);
  if (j->result != j->reference->result.value.f && (isnan(j->result) ? up && down
                                                    : j->result > 0  ? up
                                                                     : down))
    judged_unknown(j, "whether the sum overflows depends on the order");
  else judged_alone(j, ": no order overflows so");
}

/* Each element passes through at most h additions, each of which errs by at most u of what it adds
 * up (Higham 4.2); terms of higher order are not needed (Rump 2012; Jeannerod and Rump 2013). */
static long double sum_bound(const rh_judged *j) {
  const rh_reference *reference = j->reference;
  long double h = (long double)j->verdict->depth, bound = 0;
  if (h > 0)
    bound = h * j->format.u * rh_exact_abs_up(&reference->sum) +
            j->format.u * fabsl(rh_exact_sum_rounded(&reference->sum, 0));
  /* Every element and every sum may have been flushed to zero. */
  if (j->flushes)
    bound += 2 * (long double)reference->n * (1 + h * j->format.u) * ldexpl(1, j->format.emin);
  return RH_ROUND_UP(bound);
}

static void judge_sum(const rh_judged *j, uint64_t depth) {
  const rh_exact_sum *sum = &j->reference->sum;
  set_depth(j, depth);
  if (depth == RH_DEPTH_ONE_ROUNDING) {
    j->verdict->depth = 1;
    judged_alone(j, ": it promises to round the exact sum once");
  } else if (rh_has_specials(&sum->specials)) judge_special_sum(j);
  else if (!isfinite(j->result)) judge_overflow(j);
  else /* nothing overflowed: an infinity never becomes finite again */
    judged_error(j, rh_exact_sum_rounded(sum, 0), rh_exact_sum_error(sum, j->result), sum_bound(j),
                 rh_exact_abs_up(sum), 'h');
}

/* ---- Products of floats ---- */

/* An order multiplies the elements in any sequence and grouping, and rounds every product.  Values
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

/* How far rounding can carry log2 of a product: n times log2(1+u) or -log2(1-u). */
static long double log2_slack(const rh_judged *j) {
  return (long double)j->reference->n * 1.5L * j->format.u;
}

/* Every multiplication errs by at most u. */
long double rh_judge_prod_relative(const rh_judged *j) {
  long double k = (long double)j->verdict->depth;
  long double rounding =
      j->reference->n <= j->format.linear_n ? k * j->format.u : expm1l(k * log1pl(j->format.u));
  return rounding + rh_exact_prod_precision(&j->reference->prod);
}

static void judge_prod_error(const rh_judged *j, long double bound) {
  long double exact = rh_exact_prod_long(&j->reference->prod);
  judged_error(j, exact, fabsl((long double)j->result - exact), bound, fabsl(exact), 'k');
}

static void judge_number(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  long double magnitude = fabsl((long double)j->result), relative = rh_judge_prod_relative(j);
  /* A result in the subnormal range, or 0, can differ by this from the number that it was. */
  long double moved =
      magnitude <= ldexpl(1, j->format.emin) ? ldexpl(1, j->format.emin - j->format.digits) : 0;
  if (rh_exact_prod_distance(prod, magnitude + moved) < -log2_slack(j)) {
    judged_wrong(j, ": no rounding is so far off");
    return;
  }
  judge_prod_error(j, RH_ROUND_UP(relative * fabsl(rh_exact_prod_long(prod)) + moved));
  if (relative >= 1) j->verdict->weak = 1;
}

/* The product itself overflows, or its error may carry it to where it does. */
static void judge_infinity(const rh_judged *j) {
  long double least = ldexpl(1, j->format.emax) - ldexpl(1, j->format.emax - j->format.digits - 1);
  if (rh_exact_prod_distance(&j->reference->prod, least) <=
      fminl(log2_slack(j), RH_ROUND_UP(log1pl(rh_judge_prod_relative(j)) / logl(2)))) {
    rh_verdict_say(j->verdict, RH_VERDICT_OK, NAN, "overflows within its rounding errors");
    j->verdict->weak = 1;
  } else {
    judged_wrong(j, ": no order overflows");
  }
}

static void judge_prod(const rh_judged *j) {
  const rh_exact_prod *prod = &j->reference->prod;
  /* If at most one element is not a power of two, it is rounded only as it becomes a result. */
  int negative = (int)(prod->negatives % 2), is_rounded = prod->uneven > 1;
  int is_end = j->result == 0 || isinf(j->result);
  j->verdict->depth = j->reference->n > 0 ? j->reference->n - 1 : 0;
  if (prod->nans || prod->infinities) judged_alone(j, ": the input has NaN or infinities");
  else if (prod->zeros) judged_alone(j, ": the input has zeros");
  else if (isnan(j->result)) judged_wrong(j, ": no order gives NaN");
  else if ((signbit(j->result) != 0) != negative)
    judged_wrong(j, negative ? ": the number of negative elements is odd"
                             : ": the number of negative elements is even");
  else if (j->result == j->reference->result.value.f && (is_end || !is_rounded)) judged_equal(j);
  else if (!is_rounded) judge_prod_error(j, 0);
  else if (isinf(j->result)) judge_infinity(j);
  else judge_number(j);
}

/* ---- Maps whose functions may err ---- */

static double number_of(const rh_result *result) {
  return rh_word_number(result->type, &result->value);
}

/* The map's functions add this to the bound; NAN: that is not known for this operator. */
static double map_bound(const rh_judged *j) {
  const rh_reference *reference = j->reference;
  double tiny = ldexp(1, j->format.emin), error = reference->map_error;
  if (!rh_type_is_float(reference->result.type)) return NAN; /* a cast may turn little to much */
  switch (reference->op->base) {
  case RH_OP_sum:
  case RH_OP_asum:
    return error * ((double)rh_exact_abs_up(&reference->sum) + (double)reference->n * tiny);
  case RH_OP_min:
  case RH_OP_max:
  case RH_OP_amax: return error * (fabs(reference->result.value.f) + tiny);
  default: return NAN;
  }
}

/* A device may map the elements to others than the host, and be right. */
static void judge_by_map(const rh_judged *j, uint64_t depth) {
  const rh_reference *reference = j->reference;
  int is_sum = rh_op_is_sum(reference->op->base);
  double of_map = map_bound(j), expected = number_of(&reference->result);
  set_depth(j, depth);
  double bound = of_map + (is_sum ? (double)sum_bound(j) * (1 + reference->map_error) : 0);
  double error = fabs(j->result - expected);
  int digits = rh_type_is_float(reference->result.type) ? 9 : 17;
  if (!isfinite(of_map) || !isfinite(j->result) || !isfinite(expected))
    rh_verdict_say(j->verdict, RH_VERDICT_UNJUDGED, NAN,
                   "%.*g where the host has %.*g; no bound is known for the functions of the map",
                   digits, j->result, digits, expected);
  else if (error <= bound)
    rh_verdict_say(j->verdict, RH_VERDICT_OK, error,
                   "error %.3g of at most %.3g, of which the functions of the map %.3g", error,
                   bound, of_map);
  else
    rh_verdict_say(j->verdict, RH_VERDICT_WRONG, error,
                   "%.9g instead of %.9g, error %.3g of at most %.3g", j->result, expected, error,
                   bound);
}

/* ---- Maps of which it is known between which numbers their elements may lie ---- */

/* 0: no bound is known. */
static int judge_enclosed_sum(const rh_judged *j, uint64_t depth) {
  const rh_reference *reference = j->reference;
  const rh_enclosed *enclosed = &reference->enclosed;
  double up = 1 + ((double)reference->n + 4) * 0x1p-52; /* sums in double err by less */
  double both = (enclosed->above + enclosed->below) * up;
  if (!isfinite(both) || !isfinite(j->result) || !isfinite(reference->result.value.f)) return 0;
  long double exact = rh_exact_sum_rounded(&reference->sum, 0);
  double of_map = (j->result > exact ? enclosed->above : enclosed->below) * up;
  set_depth(j, depth);
  long double bound = sum_bound(j) + ((double)j->verdict->depth + 1) * j->format.u * both + of_map;
  judged_error(j, exact, rh_exact_sum_error(&reference->sum, j->result), RH_ROUND_UP(bound),
               rh_exact_abs_up(&reference->sum), 'h');
  size_t length = strlen(j->verdict->text);
  snprintf(j->verdict->text + length, sizeof j->verdict->text - length,
           ", of which the functions of the map %.3g", of_map);
  return 1;
}

/* Of integers: the map has comparisons or casts of what its functions give. */
static int judge_enclosed_count(const rh_judged *j, const rh_result *result) {
  const rh_enclosed *enclosed = &j->reference->enclosed;
  int64_t more = (int64_t)(result->value.u - j->reference->result.value.u);
  if (!(enclosed->above < 0x1p53 && enclosed->below < 0x1p53)) return 0;
  int is_right = more >= 0 ? (double)more <= enclosed->above : -(double)more <= enclosed->below;
  rh_verdict_say(j->verdict, is_right ? RH_VERDICT_OK : RH_VERDICT_WRONG, fabs((double)more),
                 "%+" PRId64 " of at least -%.17g and at most +%.17g by the functions of the map",
                 more, enclosed->below, enclosed->above);
  j->verdict->bound = more >= 0 ? enclosed->above : enclosed->below;
  j->verdict->error_ulp = NAN;
  return 1;
}

static int judge_enclosed_end(const rh_judged *j) {
  const rh_enclosed *enclosed = &j->reference->enclosed;
  int is_right = enclosed->least <= j->result && j->result <= enclosed->most;
  double host = number_of(&j->reference->result), error = fabs(j->result - host);
  rh_verdict_say(j->verdict, is_right ? RH_VERDICT_OK : RH_VERDICT_WRONG, error,
                 "%.17g, with the errors of the map's functions from %.17g to %.17g", j->result,
                 enclosed->least, enclosed->most);
  j->verdict->bound = j->result > host ? enclosed->most - host : host - enclosed->least;
  j->verdict->error_ulp = NAN;
  return 1;
}

/* 0: the verdict stays. */
static int judge_enclosed(const rh_judged *j, const rh_result *result, uint64_t depth) {
  const rh_reference *reference = j->reference;
  const rh_enclosed *enclosed = &reference->enclosed;
  int is_sum = rh_op_is_sum(reference->op->base);
  if (enclosed->n != reference->n || enclosed->n == 0 || enclosed->n_unknown || j->flushes)
    return 0;
  if (!is_sum) return judge_enclosed_end(j);
  return rh_type_is_float(result->type) ? judge_enclosed_sum(j, depth)
                                        : judge_enclosed_count(j, result);
}

/* ---- The judge ---- */

void rh_reference_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                        int flushes, rh_verdict *verdict) {
  memset(verdict, 0, sizeof *verdict);
  if (result->n_fields || reference->op->is_struct) {
    reference->op->calls->judge(reference, result, depth, flushes, verdict);
    return;
  }
  if (result->type != reference->result.type || result->indexed != reference->result.indexed) {
    const char *is = rh_type_name(result->type), *should = rh_type_name(reference->result.type);
    rh_verdict_say(verdict, RH_VERDICT_WRONG, NAN, "a result of type %s%s instead of %s%s",
                   is ? is : "?", result->indexed ? " with an index" : "", should ? should : "?",
                   reference->result.indexed ? " with an index" : "");
    return;
  }
  rh_judged j = {.reference = reference,
                 .result = number_of(result),
                 .flushes = flushes,
                 .verdict = verdict,
                 .format = rh_judge_format_of(result->type)};
  if (reference->exact) judge_exact(&reference->result, result, verdict);
  else if (reference->op->base == RH_OP_prod) judge_prod(&j);
  else judge_sum(&j, depth);
  int is_equal = verdict->verdict == RH_VERDICT_OK && verdict->error == 0;
  if (is_equal || reference->map_error == 0) return;
  rh_verdict other = {.verdict = RH_VERDICT_OK};
  j.verdict = &other;
  int is_judged = judge_enclosed(&j, result, depth);
  if (!is_judged && verdict->verdict != RH_VERDICT_WRONG) return;
  if (!is_judged) judge_by_map(&j, depth);
  *verdict = other;
}

void rh_reference_judge_value(const rh_reference *reference, const void *value, uint64_t depth,
                              int flushes, rh_verdict *verdict) {
  rh_result result;
  memset(verdict, 0, sizeof *verdict);
  if (reference->op->is_struct) {
    reference->op->calls->judge_value(reference, value, depth, flushes, verdict);
    return;
  }
  rh_op_result(reference->op->base, reference->op->type, value, &result);
  rh_reference_judge(reference, &result, depth, flushes, verdict);
}

double rh_unit_of_type(rh_type type) { return type == RH_TYPE_f64 ? 0x1p-53 : 0x1p-24; }

int rh_reference_allows_much(const rh_operator *op, uint64_t depth, uint64_t n) {
  uint64_t most = n > 0 ? n - 1 : 0, h = depth && depth < most ? depth : most;
  double part = rh_op_rounds(op->base, op->type) ? rh_unit_of_type(op->type) * (double)h : 0;
  if (op->is_struct) part = op->calls->error_part(op, h);
  return rh_judged_is_weak((long double)part, 1);
}
