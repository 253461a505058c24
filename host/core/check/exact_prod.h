/* Products of floats with significands and exponents kept apart: nothing overflows and nothing
 * underflows.
 *
 * They are not exact as the sums are: the significands are multiplied in long double, which costs
 * at most one unit roundoff of that an element. */
#pragma once

#include <redhost/redhost.h>

/* mantissa * 2^exponent.  The mantissa is in [0.5, 1) between calls. */
typedef struct rh_scaled {
  long double mantissa;
  int64_t exponent;
} rh_scaled;

typedef struct rh_exact_prod {
  rh_scaled magnitude; /* of the elements that are finite and not 0 */
  uint64_t n, zeros, nans, infinities;
  uint64_t negatives; /* elements with the sign bit set, but for NaNs */
  uint64_t uneven;    /* finite elements but zeros whose magnitude is not a power of two */
} rh_exact_prod;

void rh_exact_prod_init(rh_exact_prod *prod); /* the empty product, 1 */
void rh_exact_prod_add(rh_exact_prod *prod, rh_type type, const void *data, uint64_t n);
void rh_exact_prod_merge(rh_exact_prod *prod, const rh_exact_prod *other);

/* The product as IEEE 754 means it: NaN, signed infinities and zeros included; else rounded from
 * long double, where the relative error is at most rh_exact_prod_precision. */
double rh_exact_prod_double(const rh_exact_prod *prod);
float rh_exact_prod_float(const rh_exact_prod *prod);
long double rh_exact_prod_long(const rh_exact_prod *prod);
long double rh_exact_prod_precision(const rh_exact_prod *prod);

/* log2 of x over their magnitude, for finite x > 0: 0 if, and only if, they are equal. */
long double rh_exact_prod_distance(const rh_exact_prod *prod, long double x);
