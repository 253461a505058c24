/* Many reductions at once.  Of columns that stand side by side, a tile of rows at a time: vectors
 * lie across columns, so that each column's elements meet in the canonical order where they are.
 * And of short segments that lie back to back. */
#ifndef NATIVE_LANES_MANY_H
#define NATIVE_LANES_MANY_H

#include "lanes_integers.h"
#include "lanes_sums.h"

/* What is made of an element of memory: itself, its magnitude, or the key of a float, by which -0
 * is below +0, and a NaN, whose key is `none`, wins. */
#define AS_LANE(lane, x)          ((lane)(x))
#define AS_MAGNITUDE_f32(lane, x) magnitude_f32(x)
#define AS_MAGNITUDE_f64(lane, x) magnitude_f64(x)
#define DEFINE_KEY(name, word, infinity, none)                                                     \
  INLINE word name(word x) {                                                                       \
    const word magnitude = (word)(((uint64_t)1 << (8 * sizeof(word) - 1)) - 1);                    \
    word key = x < 0 ? x ^ magnitude : x;                                                          \
    return (x & magnitude) > (infinity) ? (none) : key;                                            \
  }
DEFINE_KEY(least_key_f32, int32_t, 0x7f800000, INT32_MIN)
DEFINE_KEY(most_key_f32, int32_t, 0x7f800000, INT32_MAX)
DEFINE_KEY(least_key_f64, int64_t, INT64_C(0x7ff) << 52, INT64_MIN)
DEFINE_KEY(most_key_f64, int64_t, INT64_C(0x7ff) << 52, INT64_MAX)
#define AS_LEAST_f32(lane, x) least_key_f32(x)
#define AS_LEAST_f64(lane, x) least_key_f64(x)
#define AS_MOST_f32(lane, x)  most_key_f32(x)
#define AS_MOST_f64(lane, x)  most_key_f64(x)

#define PLUS(a, b)       ((a) + (b))
#define LESSER_OF(a, b)  ((a) < (b) ? (a) : (b))
#define GREATER_OF(a, b) ((a) > (b) ? (a) : (b))

/* to[j] = elements j of `rows` rows, `apart` elements from one to the next. */
#define DEFINE_SPAN(name, element, lane, ONE, APPLY)                                               \
  LANES_TARGET static void name##_span(const element *restrict x, uint64_t apart, uint64_t rows,   \
                                       uint64_t n, lane *restrict to) {                            \
    const element *y = x + apart, *z = x + 2 * apart, *last = x + 3 * apart;                       \
    switch (rows) {                                                                                \
    case 1:                                                                                        \
      for (uint64_t j = 0; j < n; j++) to[j] = ONE(lane, x[j]);                                    \
      return;                                                                                      \
    case 2:                                                                                        \
      for (uint64_t j = 0; j < n; j++) {                                                           \
        lane a = ONE(lane, x[j]), b = ONE(lane, y[j]);                                             \
        to[j] = APPLY(a, b);                                                                       \
      }                                                                                            \
      return;                                                                                      \
    default:                                                                                       \
      for (uint64_t j = 0; j < n; j++) {                                                           \
        lane a = ONE(lane, x[j]), b = ONE(lane, y[j]), c = ONE(lane, z[j]), d;                     \
        a = APPLY(a, b);                                                                           \
        if (rows > 3) {                                                                            \
          d = ONE(lane, last[j]);                                                                  \
          c = APPLY(c, d);                                                                         \
        }                                                                                          \
        to[j] = APPLY(a, c);                                                                       \
      }                                                                                            \
    }                                                                                              \
  }
/* Lane k of a tile has rows k, k + row, and so on.  Columns that fill their rows make one long row
 * of all lanes. */
#define DEFINE_BY_COLUMNS(name, element, lane, ONE, APPLY)                                         \
  DEFINE_SPAN(name, element, lane, ONE, APPLY)                                                     \
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
      const lane *upper = a + half * width;                                                        \
      for (uint64_t j = 0; j < (lanes - half) * width; j++) a[j] = APPLY(a[j], upper[j]);          \
      lanes = half;                                                                                \
    }                                                                                              \
  }

/* The order of up to 8 elements: the upper half of the lanes onto the lower half, down to one; of
 * more that of `name`. */
#define SHORT(length, ...)                                                                         \
  case length:                                                                                     \
    for (uint64_t s = 0; s < n; s++, x += length) to[s] = __VA_ARGS__;                             \
    return;
#define DEFINE_OF_SEGMENTS(name, element, lane)                                                    \
  LANES_TARGET static void name##_of_segments(const void *elements, uint64_t length, uint64_t n,   \
                                              void *values) {                                      \
    const element *restrict x = elements;                                                          \
    lane *restrict to = values;                                                                    \
    switch (length) {                                                                              \
      SHORT(1, (lane)x[0])                                                                         \
      SHORT(2, (lane)x[0] + (lane)x[1])                                                            \
      SHORT(3, ((lane)x[0] + (lane)x[2]) + (lane)x[1])                                             \
      SHORT(4, ((lane)x[0] + (lane)x[2]) + ((lane)x[1] + (lane)x[3]))                              \
      SHORT(5, (((lane)x[0] + (lane)x[4]) + (lane)x[2]) + ((lane)x[1] + (lane)x[3]))               \
      SHORT(6,                                                                                     \
            (((lane)x[0] + (lane)x[4]) + (lane)x[2]) + (((lane)x[1] + (lane)x[5]) + (lane)x[3]))   \
      SHORT(7, (((lane)x[0] + (lane)x[4]) + ((lane)x[2] + (lane)x[6])) +                           \
                   (((lane)x[1] + (lane)x[5]) + (lane)x[3]))                                       \
      SHORT(8, (((lane)x[0] + (lane)x[4]) + ((lane)x[2] + (lane)x[6])) +                           \
                   (((lane)x[1] + (lane)x[5]) + ((lane)x[3] + (lane)x[7])))                        \
    }                                                                                              \
    for (uint64_t s = 0; s < n; s++, x += length) name(x, length, 1, &to[s]);                      \
  }

#define DEFINE_SUMS_OF_MANY(name, element, lane)                                                   \
  DEFINE_BY_COLUMNS(name, element, lane, AS_LANE, PLUS)                                            \
  DEFINE_OF_SEGMENTS(name, element, lane)
DEFINE_SUMS_OF_MANY(sum_f32, float, float)
DEFINE_SUMS_OF_MANY(sum_f64, double, double)
DEFINE_SUMS_OF_MANY(sum_i8, int8_t, int64_t)
DEFINE_SUMS_OF_MANY(sum_u8, uint8_t, uint64_t)
DEFINE_SUMS_OF_MANY(sum_i16, int16_t, int64_t)
DEFINE_SUMS_OF_MANY(sum_u16, uint16_t, uint64_t)
DEFINE_SUMS_OF_MANY(sum_i32, int32_t, int64_t)
DEFINE_SUMS_OF_MANY(sum_u32, uint32_t, uint64_t)
DEFINE_SUMS_OF_MANY(sum_u64, uint64_t, uint64_t)
DEFINE_BY_COLUMNS(asum_f32, float, float, AS_MAGNITUDE_f32, PLUS)
DEFINE_BY_COLUMNS(asum_f64, double, double, AS_MAGNITUDE_f64, PLUS)

#define DEFINE_EXTREMES_OF_MANY(type, element, lane, LEAST, MOST)                                  \
  DEFINE_BY_COLUMNS(min_##type, element, lane, LEAST, LESSER_OF)                                   \
  DEFINE_BY_COLUMNS(max_##type, element, lane, MOST, GREATER_OF)
DEFINE_EXTREMES_OF_MANY(i8, int8_t, int32_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(u8, uint8_t, uint32_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(i16, int16_t, int32_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(u16, uint16_t, uint32_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(i32, int32_t, int32_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(u32, uint32_t, uint32_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(i64, int64_t, int64_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(u64, uint64_t, uint64_t, AS_LANE, AS_LANE)
DEFINE_EXTREMES_OF_MANY(f32, int32_t, int32_t, AS_LEAST_f32, AS_MOST_f32)
DEFINE_EXTREMES_OF_MANY(f64, int64_t, int64_t, AS_LEAST_f64, AS_MOST_f64)

#endif
