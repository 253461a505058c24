/* Sums of floats, and of their magnitudes: in tiles of the canonical order, and in tiles of any
 * rows. */
#ifndef NATIVE_LANES_SUMS_H
#define NATIVE_LANES_SUMS_H

#include "lanes_tiles.h"

#define UNSIGN(type, lane, p, q) UNSIGN_##lane(LOAD_##type(p))
#define DEFINE_SUM(op, type, element, lane, TAKE, across)                                          \
  DEFINE_LAST_TILE(op, type, element, lane, TAKE, SOME_##TAKE, ADD, add_lanes)                     \
  DEFINE_FLOAT(op, type, element, lane, TAKE, ADD, add_lanes, across)                              \
  LANES_TARGET static void op##_##type(const void *elements, uint64_t n, unsigned pages,           \
                                       void *value) {                                              \
    op##_##type##_all(elements, 0, n, pages, value);                                               \
  }
#define DEFINE_SUMS(type, element, lane, across)                                                   \
  DEFINE_SUM(sum, type, element, lane, SAME, across)                                               \
  DEFINE_SUM(asum, type, element, lane, UNSIGN, across)
DEFINE_SUMS(f16, u16, f32, MORE_ACROSS)
DEFINE_SUMS(f32, f32, f32, ACROSS)
DEFINE_SUMS(f64, f64, f64, ACROSS)

/* Tiles of any rows, in memory. */
enum { MOST_ROW = 512 };
INLINE float magnitude_f32(float x) { return __builtin_fabsf(x); }
INLINE double magnitude_f64(double x) { return __builtin_fabs(x); }
#define DEFINE_ROWS(op, type, TAKE_LOADED)                                                         \
  LANES_TARGET static e_##type op##_##type##_tile(const e_##type *x, uint64_t row) {               \
    e_##type a[MOST_ROW];                                                                          \
    for (uint64_t k = 0; k < row; k++)                                                             \
      a[k] = (TAKE_LOADED(type, x[k]) + TAKE_LOADED(type, x[row + k])) +                           \
             (TAKE_LOADED(type, x[2 * row + k]) + TAKE_LOADED(type, x[3 * row + k]));              \
    for (uint64_t half = row / 2; half > 0; half /= 2)                                             \
      for (uint64_t k = 0; k < half; k++) a[k] += a[half + k];                                     \
    return a[0];                                                                                   \
  }                                                                                                \
  LANES_TARGET static void op##_##type##_in_rows(const void *elements, uint64_t n, uint64_t row,   \
                                                 void *value) {                                    \
    const e_##type *x = elements;                                                                  \
    e_##type end[4 * MOST_ROW], nodes[64], node;                                                   \
    uint64_t tiles = 0, k;                                                                         \
    for (; n > 4 * row; n -= 4 * row, x += 4 * row, tiles++) {                                     \
      node = op##_##type##_tile(x, row);                                                           \
      for (k = 0; tiles >> k & 1; k++) node = nodes[k] + node;                                     \
      nodes[k] = node;                                                                             \
    }                                                                                              \
    k = 0;                                                                                         \
    do end[k] = k < n ? x[k] : -(e_##type)0;                                                       \
    while (++k < 4 * row);                                                                         \
    node = op##_##type##_tile(end, row);                                                           \
    for (k = 0; tiles >> k != 0; k++)                                                              \
      if (tiles >> k & 1) node = nodes[k] + node;                                                  \
    memcpy(value, &node, sizeof node);                                                             \
  }
#define ONE_AS_IT_IS(type, x) (x)
#define ONE_UNSIGNED(type, x) magnitude_##type(x)
DEFINE_ROWS(sum, f32, ONE_AS_IT_IS)
DEFINE_ROWS(sum, f64, ONE_AS_IT_IS)
DEFINE_ROWS(asum, f32, ONE_UNSIGNED)
DEFINE_ROWS(asum, f64, ONE_UNSIGNED)

#endif
