/* The canonical order of docs/inside/bits.md, tile by tile. */
#ifndef NATIVE_TILES_H
#define NATIVE_TILES_H

#include "folder.h"

/* *value: that of n >= 1 elements of x from `first` on, where a tile begins; as by
 * rh_canonical_fold(), but by the folder's loop of whole tiles where that can. */
void rh_native_tiles(const rh_native_folder *folder, const void *x, uint64_t first, uint64_t n,
                     void *value);

#endif
