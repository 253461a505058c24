/* Mean and variance on the host, by loops of their own: the one struct operator that NumPy and
 * everybody else has as a loop, too. */
#pragma once

#include "custom.h"

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

/* The bits of t in reverse order, as many as numbers below `end` have, a power of two: if item t
 * stands there, neighbours are in the two halves of an array, at the same places of them. */
static inline uint64_t rh_bits_reversed(uint64_t t, uint64_t end) {
  uint64_t result = 0;
  for (uint64_t bit = 1; bit < end; bit *= 2, t /= 2) result = 2 * result + t % 2;
  return result;
}

/* mean[j] and m2[j] = those of lanes j, j + 8, ... of the four rows of `lanes` elements at x, for 8
 * lanes j; `lanes` is a power of two from 64 to 512.  The files that define these differ in how
 * squares are scaled. */
enum { RH_MOMENTS_LANES = 8 };
void rh_moments_tile_f32(const float *x, uint64_t lanes, double *mean, double *m2);
void rh_moments_tile_f64(const double *x, uint64_t lanes, double *mean, double *m2);

/* *mean and *m2 = those of `tiles` tiles at x, a power of two up to RH_MOMENTS_MOST_TILES, of
 * RH_MOMENTS_ROW_F32 lanes, which f32 usually has: by this processor's own instructions; null: it
 * has none that are known.  [any thread] */
enum { RH_MOMENTS_ROW_F32 = 128, RH_MOMENTS_MOST_TILES = 64 };
typedef void rh_moments_tiles(const float *x, uint64_t tiles, double *mean, double *m2);
rh_moments_tiles *rh_moments_wide(void);

/* The tiles by vectors of 256 bits, of 512, or of 256 in the registers of AVX-512, of which there
 * are twice as many; null: not on this processor.  For tests. */
enum { RH_MOMENTS_256, RH_MOMENTS_512, RH_MOMENTS_256VL, RH_MOMENTS_WIDE /* so many */ };
rh_moments_tiles *rh_moments_wide_by(int kind);

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
