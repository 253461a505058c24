/* Mean and variance on the host, by loops of their own: the one struct operator that NumPy and
 * everybody else has as a loop, too. */
#pragma once

#include "moments_tile.h"
#include "operator.h"

typedef struct rh_moments {
  double n, mean, m2; /* the fields, as they stand in a value */
} rh_moments;

/* Does the operator compute what this file does: fields n, mean and m2 of f64, which Chan's merge
 * combines, of elements that are loaded as 1, anything, 0?  Any text of the same operations. */
int rh_moments_is(const rh_operator *self);

/* *value = that of `tiles` whole tiles, a power of two up to RH_MOMENTS_MOST_TILES, from element
 * `first` on: bit for bit what the expressions give.  0: two means are too far apart for their
 * difference, or not finite, and *value is not what the expressions give. */
int rh_moments_reduce(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                      uint64_t tiles, void *value);

/* *a = combine(*a, *b), the same. */
void rh_moments_combine(void *a, const void *b);
