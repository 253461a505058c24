#include "tiles.h"

void rh_native_tiles(const rh_op *op, rh_native_tile_of *whole, const void *x, uint64_t first,
                     uint64_t n, void *value) {
  uint64_t tile = rh_canonical_tile(op), end = first + n;
  const unsigned char *elements = x;
  rh_canonical_tiles tiles;
  tiles.count = 0;
  for (; first < end; first += tile) {
    rh_canonical_value node;
    if (end - first < tile || !whole(elements + first * op->element_size, &node))
      rh_canonical_one_tile(op, x, first, end - first < tile ? end : first + tile, &node);
    rh_canonical_append(op, &tiles, &node);
  }
  rh_canonical_join(op, &tiles, value);
}
