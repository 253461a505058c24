/* Mean and variance on the host, by loops of their own: the one struct operator that NumPy and
 * everybody else has as a loop, too. */
#pragma once

#include "custom.h"
#include "moments_tile.h"

#include <math.h>

typedef struct rh_moments {
  double n, mean, m2; /* the fields, as they stand in a value */
  double large;       /* where squares may overflow: m2 of differences times RH_MOMENTS_LARGE */
} rh_moments;
#define RH_MOMENTS_LARGE 0x1p-128

/* Both of at least one element; b->n/n is 1/2 where they have as many, without a division. */
static inline rh_moments rh_moments_of_both(rh_moments a, rh_moments b) {
  double n = a.n + b.n, r = a.n == b.n ? 0.5 : b.n / n, d = b.mean - a.mean;
  double e = d * RH_MOMENTS_LARGE;
  return (rh_moments){n, isfinite(d) ? a.mean + d * r : a.mean * (1 - r) + b.mean * r,
                      a.m2 + b.m2 + d * d * a.n * r, a.large + b.large + e * e * a.n * r};
}

/* Does the operator compute what this file does: fields n, mean and m2 of f64, and perhaps large,
 * which Chan's merge combines, of elements that are loaded as 1, anything, 0 and 0?  Any text of
 * the same operations. */
int rh_moments_is(const rh_custom *self);

/* *value = that of `tiles` whole tiles, a power of two up to RH_MOMENTS_MOST_TILES, from element
 * `first` on: bit for bit what the expressions give.  0: two means are too far apart for their
 * difference or its square, or not finite, or all are too near for `large`, and *value is not what
 * the expressions give. */
int rh_moments_reduce(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                      uint64_t tiles, void *value);

/* The same of n >= 1 elements, less than a tile has, whatever they are. */
void rh_moments_reduce_few(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                           uint64_t n, void *value);

/* *a = combine(*a, *b), the same, of values of three fields or four. */
void rh_moments_combine(void *a, const void *b, size_t size);
