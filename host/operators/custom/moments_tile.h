/* Mean and variance of one tile; the files that define these differ in how squares are scaled. */
#pragma once

#include <stdint.h>

/* The bits of t in reverse order, as many as numbers below `end` have, a power of two: if item t
 * stands there, neighbours are in the two halves of an array, at the same places of them. */
static inline uint64_t rh_bits_reversed(uint64_t t, uint64_t end) {
  uint64_t result = 0;
  for (uint64_t bit = 1; bit < end; bit *= 2, t /= 2) result = 2 * result + t % 2;
  return result;
}

/* mean[j] and m2[j] = those of lanes j, j + 8, ... of the four rows of `lanes` elements at x, for
 * 8 lanes j; `lanes` is a power of two from 64 to 512. */
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
