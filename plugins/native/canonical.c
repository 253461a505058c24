#include "canonical.h"
#include "lanes.h"

#include <string.h>

enum {
  MOST_VALUE = 16, /* bytes, see rh_op.value_size */
  MOST_ROW = NATIVE_ROW_BYTES,
  ROWS = NATIVE_TILE_BYTES / NATIVE_ROW_BYTES,
  MOST_LEVELS = 64
};

typedef struct lane {
  _Alignas(MOST_VALUE) unsigned char bytes[MOST_VALUE];
} lane;

uint64_t rh_native_tile(const rh_op *op) {
  return NATIVE_TILE_BYTES / op->element_size;
}

/* Rows `row` and those below it that there are, of one lane: two of them, and the next two.  What
 * is missing is the identity, with which combining changes nothing, and so it is left out. */
static void take_lane(const rh_op *op, const void *x, uint64_t at, uint64_t end, lane *value) {
  uint64_t row = NATIVE_ROW_BYTES / op->element_size;
  lane other, more;
  op->load(value, x, at);
  if (at + row < end) {
    op->load(&other, x, at + row);
    op->combine(value, &other);
  }
  if (at + 2 * row >= end) return;
  op->load(&more, x, at + 2 * row);
  if (at + 3 * row < end) {
    op->load(&other, x, at + 3 * row);
    op->combine(&more, &other);
  }
  op->combine(value, &more);
}

static void take_tile(const rh_op *op, const void *x, uint64_t first, uint64_t n, lane *value) {
  lane lanes[MOST_ROW];
  uint64_t row = NATIVE_ROW_BYTES / op->element_size, used = n < row ? n : row;
  for (uint64_t k = 0; k < used; k++) take_lane(op, x, first + k, first + n, &lanes[k]);
  for (uint64_t half = row / 2; half > 0; half /= 2) {
    for (uint64_t k = 0; k + half < used; k++) op->combine(&lanes[k], &lanes[k + half]);
    if (used > half) used = half;
  }
  *value = lanes[0];
}

/* A binary counter: nodes[k] combines 2^k tiles where bit k of their number is set. */
void rh_native_canonical(const rh_op *op, const void *x, uint64_t first, uint64_t n, void *value) {
  uint64_t tile = rh_native_tile(op), tiles = 0, k;
  lane nodes[MOST_LEVELS], node;
  for (;; n -= tile, first += tile, tiles++) {
    take_tile(op, x, first, n < tile ? n : tile, &node);
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
