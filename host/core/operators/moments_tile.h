/* Mean and variance of one tile; the files that define these differ in how squares are scaled. */
#ifndef RH_OPERATORS_MOMENTS_TILE_H
#define RH_OPERATORS_MOMENTS_TILE_H

#include <stdint.h>

/* mean[j] and m2[j] = those of lanes j, j + 8, ... of the four rows of `lanes` elements at x, for
 * 8 lanes j; `lanes` is a power of two from 64 to 512. */
enum { RH_MOMENTS_LANES = 8 };
void rh_moments_tile_f32(const float *x, uint64_t lanes, double *mean, double *m2);
void rh_moments_tile_f64(const double *x, uint64_t lanes, double *mean, double *m2);

/* mean[t] and m2[t] = those of tile t, of four tiles at x of RH_MOMENTS_ROW_F32 lanes, which f32
 * usually has: by this processor's own instructions; null: it has none that are known. */
enum { RH_MOMENTS_ROW_F32 = 128 };
typedef void rh_moments_four_tiles(const float *x, double *mean, double *m2);
rh_moments_four_tiles *rh_moments_wide(void);

/* The same by vectors of so many bits, or by two halves of one of 512; null: not on this processor.
 * For tests. */
enum { RH_MOMENTS_256, RH_MOMENTS_512, RH_MOMENTS_HALVED, RH_MOMENTS_WIDE /* so many */ };
rh_moments_four_tiles *rh_moments_wide_by(int kind);

#endif
