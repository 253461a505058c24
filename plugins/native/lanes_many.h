/* Many sums at once.  Of columns that stand side by side, a tile of rows at a time: vectors lie
 * across columns, so that each column's elements meet in the canonical order where they are.  And
 * of short segments, one behind the other. */
#ifndef NATIVE_LANES_MANY_H
#define NATIVE_LANES_MANY_H

#include "lanes_integers.h"
#include "lanes_sums.h"

#define AS_LANE(lane, x)          ((lane)(x))
#define AS_MAGNITUDE_f32(lane, x) magnitude_f32(x)
#define AS_MAGNITUDE_f64(lane, x) magnitude_f64(x)

/* to[j] = elements j of `rows` rows, `apart` elements from one to the next. */
#define DEFINE_SPAN(name, element, lane, ONE)                                                      \
  LANES_TARGET static void name##_span(const element *restrict x, uint64_t apart, uint64_t rows,   \
                                       uint64_t n, lane *restrict to) {                            \
    const element *y = x + apart, *z = y + apart, *last = z + apart;                               \
    switch (rows) {                                                                                \
    case 1:                                                                                        \
      for (uint64_t j = 0; j < n; j++) to[j] = ONE(lane, x[j]);                                    \
      return;                                                                                      \
    case 2:                                                                                        \
      for (uint64_t j = 0; j < n; j++) to[j] = ONE(lane, x[j]) + ONE(lane, y[j]);                  \
      return;                                                                                      \
    case 3:                                                                                        \
      for (uint64_t j = 0; j < n; j++)                                                             \
        to[j] = (ONE(lane, x[j]) + ONE(lane, y[j])) + ONE(lane, z[j]);                             \
      return;                                                                                      \
    default:                                                                                       \
      for (uint64_t j = 0; j < n; j++)                                                             \
        to[j] = (ONE(lane, x[j]) + ONE(lane, y[j])) + (ONE(lane, z[j]) + ONE(lane, last[j]));      \
    }                                                                                              \
  }
/* Lane k of a tile has rows k, k + row, and so on.  Columns that fill their rows make one long row
 * of all lanes. */
#define DEFINE_COLUMN_SUMS(name, element, lane, ONE)                                               \
  DEFINE_SPAN(name, element, lane, ONE)                                                            \
  LANES_TARGET static void name##_by_columns(const void *elements, uint64_t stride, uint64_t n,    \
                                             uint64_t width, void *room) {                         \
    const uint64_t row = NATIVE_ROW_BYTES / sizeof(element);                                       \
    const element *x = elements;                                                                   \
    lane *a = room;                                                                                \
    uint64_t lanes = n < row ? n : row, at = 0;                                                    \
    for (uint64_t rows = (n + row - 1) / row; rows > 0; rows--) {                                  \
      uint64_t end = n - (rows - 1) * row < row ? n - (rows - 1) * row : row;                      \
      if (end <= at) continue;                                                                     \
      if (stride == width)                                                                         \
        name##_span(x + at * stride, row * stride, rows, (end - at) * width, a + at * width);      \
      for (; stride != width && at < end; at++)                                                    \
        name##_span(x + at * stride, row * stride, rows, width, a + at * width);                   \
      at = end;                                                                                    \
    }                                                                                              \
    for (uint64_t half = row / 2; half > 0; half /= 2) {                                           \
      if (lanes <= half) continue;                                                                 \
      lane *upper = a + half * width;                                                              \
      for (uint64_t j = 0; j < (lanes - half) * width; j++) a[j] += upper[j];                      \
      lanes = half;                                                                                \
    }                                                                                              \
  }
DEFINE_COLUMN_SUMS(sum_f32, float, float, AS_LANE)
DEFINE_COLUMN_SUMS(sum_f64, double, double, AS_LANE)
DEFINE_COLUMN_SUMS(asum_f32, float, float, AS_MAGNITUDE_f32)
DEFINE_COLUMN_SUMS(asum_f64, double, double, AS_MAGNITUDE_f64)
DEFINE_COLUMN_SUMS(sum_i8, int8_t, int64_t, AS_LANE)
DEFINE_COLUMN_SUMS(sum_u8, uint8_t, uint64_t, AS_LANE)
DEFINE_COLUMN_SUMS(sum_i16, int16_t, int64_t, AS_LANE)
DEFINE_COLUMN_SUMS(sum_u16, uint16_t, uint64_t, AS_LANE)
DEFINE_COLUMN_SUMS(sum_i32, int32_t, int64_t, AS_LANE)
DEFINE_COLUMN_SUMS(sum_u32, uint32_t, uint64_t, AS_LANE)
DEFINE_COLUMN_SUMS(sum_u64, uint64_t, uint64_t, AS_LANE)

/* The order of up to 8 elements: the upper half of the lanes onto the lower half, down to one. */
#define X(lane, k)   ((lane)x[k])
#define SHORT_1(l)   X(l, 0)
#define SHORT_2(l)   (X(l, 0) + X(l, 1))
#define SHORT_3(l)   ((X(l, 0) + X(l, 2)) + X(l, 1))
#define SHORT_4(l)   ((X(l, 0) + X(l, 2)) + (X(l, 1) + X(l, 3)))
#define EVEN_HALF(l) ((X(l, 0) + X(l, 4)) + (X(l, 2) + X(l, 6)))
#define SHORT_5(l)   (((X(l, 0) + X(l, 4)) + X(l, 2)) + (X(l, 1) + X(l, 3)))
#define SHORT_6(l)   (((X(l, 0) + X(l, 4)) + X(l, 2)) + ((X(l, 1) + X(l, 5)) + X(l, 3)))
#define SHORT_7(l)   (EVEN_HALF(l) + ((X(l, 1) + X(l, 5)) + X(l, 3)))
#define SHORT_8(l)   (EVEN_HALF(l) + ((X(l, 1) + X(l, 5)) + (X(l, 3) + X(l, 7))))
#define SHORT(lane, length)                                                                        \
  case length:                                                                                     \
    for (uint64_t s = 0; s < n; s++, x += length) to[s] = SHORT_##length(lane);                    \
    return;
#define DEFINE_SEGMENT_SUMS(name, element, lane)                                                   \
  LANES_TARGET static void name##_of_segments(const void *elements, uint64_t length, uint64_t n,   \
                                              void *values) {                                      \
    const element *restrict x = elements;                                                          \
    lane *restrict to = values;                                                                    \
    switch (length) {                                                                              \
      SHORT(lane, 1)                                                                               \
      SHORT(lane, 2)                                                                               \
      SHORT(lane, 3)                                                                               \
      SHORT(lane, 4)                                                                               \
      SHORT(lane, 5)                                                                               \
      SHORT(lane, 6)                                                                               \
      SHORT(lane, 7)                                                                               \
      SHORT(lane, 8)                                                                               \
    }                                                                                              \
    for (uint64_t s = 0; s < n; s++, x += length) name(x, length, 1, &to[s]);                      \
  }
DEFINE_SEGMENT_SUMS(sum_f32, float, float)
DEFINE_SEGMENT_SUMS(sum_f64, double, double)
DEFINE_SEGMENT_SUMS(sum_i8, int8_t, int64_t)
DEFINE_SEGMENT_SUMS(sum_u8, uint8_t, uint64_t)
DEFINE_SEGMENT_SUMS(sum_i16, int16_t, int64_t)
DEFINE_SEGMENT_SUMS(sum_u16, uint16_t, uint64_t)
DEFINE_SEGMENT_SUMS(sum_i32, int32_t, int64_t)
DEFINE_SEGMENT_SUMS(sum_u32, uint32_t, uint64_t)
DEFINE_SEGMENT_SUMS(sum_u64, uint64_t, uint64_t)

#endif
