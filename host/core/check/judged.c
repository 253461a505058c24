#include "check.h"

/* A bound above this part of what it bounds is not a check alone: on data whose sum is small
 * against the sum of magnitudes, a result that has nothing to do with them would pass.  Below it,
 * what is lost is less than a thousandth. */
int rh_judged_is_weak(long double bound, long double magnitude) {
  return bound > 0x1p-10L * magnitude;
}

rh_judge_format rh_judge_format_of(rh_type type) {
  static const rh_judge_format f32 = {24, -126, 128, UINT64_C(1) << 12};
  static const rh_judge_format f64 = {53, -1022, 1024, UINT64_C(1) << 26};
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

void rh_judged_equal(const rh_judged *j) { rh_verdict_say(j->verdict, RH_VERDICT_OK, 0, "equal"); }

void rh_judged_unknown(const rh_judged *j, const char *why) {
  rh_verdict_say(j->verdict, RH_VERDICT_UNJUDGED, NAN, "%s", why);
  j->verdict->weak = 1;
}

void rh_judged_wrong(const rh_judged *j, const char *why) {
  int digits = j->format.digits == 24 ? 9 : 17;
  rh_verdict_say(j->verdict, RH_VERDICT_WRONG, NAN, "%.*g instead of %.*g%s", digits, j->result,
                 digits, j->reference->result.value.f, why);
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

void rh_judged_error(const rh_judged *j, long double exact, long double error, long double bound,
                     long double magnitude, char letter) {
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
