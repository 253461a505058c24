/* Random numbers, and what tests of exact sums need of long doubles. */
#pragma once

#include <float.h>

#include "../../host/core/base/base.h"
#include "../suite/suite.h"

static uint64_t seed = 1;
static uint64_t random_bits(void) { return rh_random_next(&seed); }

/* An element of an array of floats of a type. */
__attribute__((unused)) static double element_of(rh_type type, const void *array, uint64_t i) {
  if (type == RH_TYPE_f64) return ((const double *)array)[i];
  if (type == RH_TYPE_f32) return (double)((const float *)array)[i];
  return (double)rh_half_to_float(((const uint16_t *)array)[i]);
}

/* Valgrind computes long doubles in double: then what is said to their last bit, or beyond DBL_MAX,
 * is not. */
__attribute__((unused)) static int long_double_works(void) {
  volatile long double one = 1, more = one + LDBL_EPSILON;
  return more > one;
}
