/* The functions whose error OpenCL C bounds, in higher precision. */
#ifndef EXPR_FUNCTIONS_H
#define EXPR_FUNCTIONS_H

#include <stdint.h>

typedef struct bounded_function {
  const char *name;
  uint32_t n_args;
  uint32_t ulp; /* OpenCL C 3.0, 7.4: the same for f32 and f64 */
  long double (*one)(long double);
  long double (*two)(long double, long double);
} bounded_function;
extern const bounded_function bounded_functions[];
extern const uint32_t n_bounded_functions;

/* Is `got` within `ulp` units in the last place of `exact`?  Of a significand of `digits` bits and
 * normal numbers from 2^emin to below 2^emax. */
int is_within(long double exact, double got, uint32_t ulp, int digits, int emin, int emax);

#endif
