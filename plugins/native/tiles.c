#include "tiles.h"

/* A binary counter: nodes[k] combines 2^k tiles where bit k of their number is set. */
void rh_native_tiles(const rh_op *op, rh_native_tile_of *whole, const void *x, uint64_t first,
                     uint64_t n, void *value) {
  uint64_t tile = rh_canonical_tile(op), tiles = 0, k;
  const unsigned char *elements = x;
  rh_canonical_value nodes[64], node;
  for (;; n -= tile, first += tile, tiles++) {
    if (n < tile || !whole(elements + first * op->element_size, &node))
      rh_canonical_one_tile(op, x, first, first + (n < tile ? n : tile), &node);
    if (n <= tile) break;
    for (k = 0; tiles >> k & 1; k++) {
      op->combine(&nodes[k], &node);
      node = nodes[k];
    }
    nodes[k] = node;
  }
  for (k = 0; tiles >> k != 0; k++)
    if (tiles >> k & 1) {
      op->combine(&nodes[k], &node);
      node = nodes[k];
    }
  memcpy(value, &node, op->value_size);
}
