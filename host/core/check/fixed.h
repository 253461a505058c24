/* Magnitudes in fixed point that is wide enough for sums of any floats, and of their products. */
#pragma once

#include <stdint.h>

__extension__ typedef unsigned __int128 rh_u128;
__extension__ typedef __int128 rh_i128;

/* In units of 2^-2148, the smallest product of two f64; limb[0] is the least significant.  4352
 * bits hold the sum of 2^64 products of 2^2048, and some.  Zero-initialised is zero. */
enum { RH_FIXED_LIMBS = 68, RH_FIXED_UNIT = 2148 };
typedef struct rh_fixed {
  uint64_t limb[RH_FIXED_LIMBS];
} rh_fixed;

/* The place of the smallest subnormal of a type. */
enum {
  RH_FIXED_F16_LOWEST = RH_FIXED_UNIT - 24,
  RH_FIXED_F32_LOWEST = RH_FIXED_UNIT - 149,
  RH_FIXED_F64_LOWEST = RH_FIXED_UNIT - 1074
};

void rh_fixed_add(rh_fixed *x, const rh_fixed *y);                /* *x += *y */
void rh_fixed_add_shifted(rh_fixed *x, rh_u128 value, int shift); /* *x += value * 2^shift */

/* *distance = |x - y|; is x below y? */
int rh_fixed_distance(rh_fixed *distance, const rh_fixed *x, const rh_fixed *y);

/* Rounded to nearest, ties to even; infinity where that overflows. */
double rh_fixed_double(const rh_fixed *x);
float rh_fixed_float(const rh_fixed *x);
/* Rounded to 64 bits, or a long double's precision: to nearest, or up. */
long double rh_fixed_long(const rh_fixed *x, int up);
