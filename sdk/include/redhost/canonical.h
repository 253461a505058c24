/* redhost/canonical.h: the canonical order of docs/inside/bits.md on the host; header only.
 * SPDX-License-Identifier: MIT
 *
 * For plugins of host code that promise RH_CANONICAL_ORDER, and for checks: any operator that
 * commutes, by its own functions.  Nothing here is part of the ABI. */
#ifndef REDHOST_CANONICAL_H
#define REDHOST_CANONICAL_H

#ifdef __cplusplus
#error "redhost/canonical.h is C; compile the functions that need it as C"
#endif

#include "plugin.h"

#include <string.h>

enum {
  RH_CANONICAL_ROW_BYTES = 512,
  RH_CANONICAL_ROWS = 4, /* of a tile */
  RH_CANONICAL_TILE_BYTES = RH_CANONICAL_ROWS * RH_CANONICAL_ROW_BYTES
};

/* Elements of a tile. */
static inline uint64_t rh_canonical_tile(const rh_op *op) {
  return RH_CANONICAL_TILE_BYTES / op->element_size;
}

/* A value of any operator, see rh_op.value_size. */
typedef struct rh_canonical_value {
  _Alignas(16) unsigned char bytes[RH_ANY_VALUE_BYTES];
} rh_canonical_value;

/* The rows of one lane, whose elements stand at `at`, at + row, ... before `end`: two of them, and
 * the next two.  What is missing is the identity, with which combining changes nothing, and is left
 * out. */
static inline void rh_canonical_lane(const rh_op *op, const void *x, uint64_t at, uint64_t end,
                                     rh_canonical_value *value) {
  uint64_t row = RH_CANONICAL_ROW_BYTES / op->element_size;
  rh_canonical_value other, more;
  rh_op_load(op, value, x, at);
  if (at + row < end) {
    rh_op_load(op, &other, x, at + row);
    rh_op_combine(op, value, &other);
  }
  if (at + 2 * row >= end) return;
  rh_op_load(op, &more, x, at + 2 * row);
  if (at + 3 * row < end) {
    rh_op_load(op, &other, x, at + 3 * row);
    rh_op_combine(op, &more, &other);
  }
  rh_op_combine(op, value, &more);
}

/* Elements first .. end-1, at most a tile and at least one: the lanes, then their upper half onto
 * their lower half. */
static inline void rh_canonical_one_tile(const rh_op *op, const void *x, uint64_t first,
                                         uint64_t end, rh_canonical_value *value) {
  rh_canonical_value lanes[RH_CANONICAL_ROW_BYTES];
  uint64_t row = RH_CANONICAL_ROW_BYTES / op->element_size;
  uint64_t used = end - first < row ? end - first : row;
  for (uint64_t k = 0; k < used; k++) rh_canonical_lane(op, x, first + k, end, &lanes[k]);
  for (uint64_t half = row / 2; half > 0; half /= 2) {
    for (uint64_t k = 0; k + half < used; k++) rh_op_combine(op, &lanes[k], &lanes[k + half]);
    if (used > half) used = half;
  }
  *value = lanes[0];
}

/* The values of consecutive tiles, from a node's first one on.  A binary counter: nodes[k] combines
 * 2^k tiles where bit k of their number is set. */
typedef struct rh_canonical_tiles {
  rh_canonical_value nodes[64];
  uint64_t count; /* 0 at first */
} rh_canonical_tiles;

/* Appends a tile's value; *value is overwritten. */
static inline void rh_canonical_append(const rh_op *op, rh_canonical_tiles *tiles,
                                       rh_canonical_value *value) {
  int k = 0;
  for (; tiles->count >> k & 1; k++) {
    rh_op_combine(op, &tiles->nodes[k], value);
    *value = tiles->nodes[k];
  }
  tiles->nodes[k] = *value;
  tiles->count++;
}

/* *value, of op->value_size bytes: that of all tiles, of which there is at least one. */
static inline void rh_canonical_join(const rh_op *op, rh_canonical_tiles *tiles, void *value) {
  int k = 0;
  while (!(tiles->count >> k & 1)) k++;
  rh_canonical_value node = tiles->nodes[k];
  for (k++; k < 64 && tiles->count >> k != 0; k++)
    if (tiles->count >> k & 1) {
      rh_op_combine(op, &tiles->nodes[k], &node);
      node = tiles->nodes[k];
    }
  memcpy(value, &node, op->value_size);
}

/* *value: that of elements first .. first+n-1 of x, where the first tile begins at `first`. */
static inline void rh_canonical_fold(const rh_op *op, const void *x, uint64_t first, uint64_t n,
                                     void *value) {
  uint64_t tile = rh_canonical_tile(op), end = first + n;
  rh_canonical_tiles tiles;
  tiles.count = 0;
  if (n == 0) {
    memcpy(value, op->identity, op->value_size);
    return;
  }
  for (; first < end; first += tile) {
    rh_canonical_value node;
    rh_canonical_one_tile(op, x, first, end - first < tile ? end : first + tile, &node);
    rh_canonical_append(op, &tiles, &node);
  }
  rh_canonical_join(op, &tiles, value);
}

#endif
