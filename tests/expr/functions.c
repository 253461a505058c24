#include "functions.h"

#include <math.h>
#include <stddef.h>

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
