#include "tiles.h"
#include "columns.h"

/* A tile that is not whole, or has elements that need more care. */
static void any_tile(const rh_native_folder *folder, const void *x, uint64_t first, uint64_t n,
                     rh_canonical_value *node) {
  const rh_native_columns columns = {first, 1, n, 1, x, 0};
  const rh_native_values to = {node->bytes, 0, INDEX_AT};
  rh_native_columns_fold(folder, &columns, &to);
}

void rh_native_tiles(const rh_native_folder *folder, const void *x, uint64_t first, uint64_t n,
                     void *value) {
  const rh_op *op = folder->op;
  uint64_t tile = rh_canonical_tile(op), end = first + n;
  const unsigned char *elements = x;
  rh_canonical_tiles tiles;
  tiles.count = 0;
  for (; first < end; first += tile) {
    rh_canonical_value node;
    if (end - first < tile || !folder->tile(elements + first * op->element_size, &node))
      any_tile(folder, x, first, end - first < tile ? end - first : tile, &node);
    rh_canonical_append(op, &tiles, &node);
  }
  rh_canonical_join(op, &tiles, value);
}
