/* The exact sum of which a float is a rounded one: of a field of a struct, or of a mapped sum whose
 * result is made of it.  It has only what bounds need, so that a struct can have many. */
#pragma once

#include "enclosed.h"
#include "exact.h"

/* Zero-initialised is the empty sum. */
typedef struct rh_field_sum {
  long double sum;                /* of the finite elements; it errs by at most `lost` */
  long double positive, negative; /* the sums of the magnitudes of either sign, rounded up */
  long double lost;
  uint64_t n;
  uint64_t nans, plus_infinities, minus_infinities; /* 1: there are some */
  uint64_t has_others;                              /* 0: every element is -0 */
  rh_enclosed enclosed; /* of a load whose functions err; of no elements: there are none */
} rh_field_sum;

void rh_field_sum_of(rh_field_sum *to, const rh_exact_sum *exact, const rh_enclosed *enclosed);
void rh_field_sum_merge(rh_field_sum *to, const rh_field_sum *part);
/* Rounded to the type, as the sum of an rh_exact_sum is. */
double rh_field_sum_rounded(const rh_field_sum *sum, rh_type type);
