/* The canonical order of docs/inside/bits.md, tile by tile. */
#ifndef NATIVE_TILES_H
#define NATIVE_TILES_H

#include "lanes.h"

/* *value: that of n >= 1 elements of x from `first` on, where a tile begins; as by
 * rh_canonical_fold(), but by `whole` where it can. */
void rh_native_tiles(const rh_op *op, rh_native_tile_of *whole, const void *x, uint64_t first,
                     uint64_t n, void *value);

#endif
