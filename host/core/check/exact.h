/* Exact sums of floats, whatever their number, order and range: gathered by redhost/exact.h, and
 * then in fixed point wide enough for every product of two f64, too, from which the sum S, the sum
 * of magnitudes A and the distance to any result are read, rounded once.  That rounding is not the
 * one of redhost/exact.h, which strategies use. */
#pragma once

#include "fixed.h"
#include <redhost/redhost.h>

/* Zero-initialised is the empty sum. */
typedef struct rh_exact_sum {
  rh_fixed positive, negative; /* sums of magnitudes of the finite elements: S = P - N, A = P + N */
  uint64_t n;
  uint64_t nans, plus_infinities, minus_infinities; /* 1: there are some */
  uint64_t has_others;                              /* 0: every element is -0 */
} rh_exact_sum;

/* What gathers elements before they are folded into a sum; a few hundred KiB.  [one thread at a
 * time] */
typedef struct rh_exact_bins rh_exact_bins;
/* type: a float's.  magnitudes: 1: of the elements without their signs.  Null: out of memory. */
rh_exact_bins *rh_exact_bins_create(rh_type type, int magnitudes);
void rh_exact_bins_destroy(rh_exact_bins *bins); /* null is legal */
void rh_exact_bins_add(rh_exact_bins *bins, const void *data, uint64_t n);
/* Adds the bins' contents to *sum and empties them. */
void rh_exact_bins_fold(rh_exact_bins *bins, rh_exact_sum *sum);

void rh_exact_sum_merge(rh_exact_sum *sum, const rh_exact_sum *other);

/* S rounded to nearest, ties to even.  The result is as in IEEE 754: NaN where an element is NaN or
 * both infinities occur, else the infinity that occurs, else infinity where the rounded sum
 * overflows.  An S of zero is -0 if there are elements and all are -0, else +0. */
double rh_exact_sum_double(const rh_exact_sum *sum);
float rh_exact_sum_float(const rh_exact_sum *sum);
/* to 64 bits, or a long double's precision */
long double rh_exact_sum_long(const rh_exact_sum *sum);

/* A */
long double rh_exact_abs_up(const rh_exact_sum *sum); /* of the finite elements only, rounded up */

/* |S - result| over the finite elements, rounded up; 0 exactly where they agree.  `result` is
 * finite. */
long double rh_exact_sum_error(const rh_exact_sum *sum, double result);
