/* Extremes: the least and the most of integers, and of floats' bits, in one pass.
 *
 * Elements behind the last whole row are read in a row that ends with the last element and overlaps
 * the one before.  It comes last: at the beginning, it would make the first loop wait for memory
 * far ahead of what has been fetched. */
#ifndef NATIVE_LANES_EXTREMES_H
#define NATIVE_LANES_EXTREMES_H

#include "lanes_plain.h"
#include "lanes_rows.h"

#define LEAST_1(a, b) ((b) < (a) ? (b) : (a))
#define MOST_1(a, b)  ((b) > (a) ? (b) : (a))

/* The least and the most of two kinds of numbers that stand in the same lanes, in one pass with
 * COUNT accumulators of each.  HELD keeps a vector in a register. */
#define DEFINE_EXTREMES_OF(name, type, COUNT, HELD, TAKE, first, FIRST, FIRST_1, second, SECOND,   \
                           SECOND_1)                                                               \
  LANES_TARGET INLINE void name##_row(v_##first a[COUNT], v_##second b[COUNT], const e_##type *x,  \
                                      intptr_t beside) {                                           \
    (void)beside;                                                                                  \
    EACH(k, COUNT) {                                                                               \
      v_##type v = TAKE(type, x + (size_t)k * (LANES_BYTES / sizeof(e_##type)));                   \
      HELD(v);                                                                                     \
      a[k] = FIRST(a[k], (v_##first)v);                                                            \
      b[k] = SECOND(b[k], (v_##second)v);                                                          \
    }                                                                                              \
  }                                                                                                \
  LANES_TARGET INLINE void name##_lanes(v_##first a, v_##second b, e_##first *one,                 \
                                        e_##second *other) {                                       \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type) };                                               \
    e_##first ones[WIDTH];                                                                         \
    e_##second others[WIDTH];                                                                      \
    memcpy(ones, &a, sizeof ones);                                                                 \
    memcpy(others, &b, sizeof others);                                                             \
    UNROLLED for (int half = WIDTH / 2; half > 0; half /= 2) {                                     \
      EACH_LANE(k, half) ones[k] = FIRST_1(ones[k], ones[k + half]);                               \
      EACH_LANE(k, half) others[k] = SECOND_1(others[k], others[k + half]);                        \
    }                                                                                              \
    *one = ones[0], *other = others[0];                                                            \
  }                                                                                                \
  LANES_TARGET static void name##_of(const void *elements, intptr_t beside, uint64_t n,            \
                                     unsigned pages, e_##first *one, e_##second *other) {          \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type), ROW_OF = COUNT * WIDTH };                       \
    const e_##type *x = elements;                                                                  \
    v_##first a[COUNT];                                                                            \
    v_##second b[COUNT];                                                                           \
    EACH(k, COUNT) a[k] = (v_##first)TAKE(type, x + k * WIDTH);                                    \
    EACH(k, COUNT) b[k] = (v_##second)a[k];                                                        \
    EACH_ROW(elements, n / ROW_OF, COUNT * LANES_BYTES, pages) name##_row(a, b, ROW, beside);      \
    if (n > ROW_OF && n % ROW_OF != 0) name##_row(a, b, x + n - ROW_OF, beside);                   \
    EACH(k, COUNT - 1) a[0] = FIRST(a[0], a[k + 1]);                                               \
    EACH(k, COUNT - 1) b[0] = SECOND(b[0], b[k + 1]);                                              \
    name##_lanes(a[0], b[0], one, other);                                                          \
  }

/* Takes any n >= 1 elements: of fewer than a vector has, one by one; and of fewer than a row has,
 * vector by vector, of which the last one overlaps the one before. */
#define DEFINE_EXTREMES(name, type, COUNT, HELD, first, FIRST, FIRST_1, second, SECOND, SECOND_1)  \
  DEFINE_EXTREMES_OF(name, type, COUNT, HELD, LOAD, first, FIRST, FIRST_1, second, SECOND,         \
                     SECOND_1)                                                                     \
  LANES_TARGET static void name##_few(const e_##type *x, uint64_t n, e_##first *one,               \
                                      e_##second *other) {                                         \
    *one = (e_##first)x[0], *other = (e_##second)x[0];                                             \
    for (uint64_t k = 1; k < n; k++) {                                                             \
      *one = FIRST_1(*one, (e_##first)x[k]);                                                       \
      *other = SECOND_1(*other, (e_##second)x[k]);                                                 \
    }                                                                                              \
  }                                                                                                \
  LANES_TARGET static void name(const void *elements, uint64_t n, unsigned pages, e_##first *one,  \
                                e_##second *other) {                                               \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type), ROW_OF = COUNT * WIDTH };                       \
    const e_##type *x = elements;                                                                  \
    if (n >= ROW_OF) {                                                                             \
      name##_of(x, 0, n, pages, one, other);                                                       \
      return;                                                                                      \
    }                                                                                              \
    if (n < WIDTH) {                                                                               \
      name##_few(x, n, one, other);                                                                \
      return;                                                                                      \
    }                                                                                              \
    v_##first a = (v_##first)LOAD(type, x);                                                        \
    v_##second b = (v_##second)a;                                                                  \
    for (uint64_t k = WIDTH; k < n; k += WIDTH) {                                                  \
      v_##type v = LOAD(type, x + (k + WIDTH < n ? k : n - WIDTH));                                \
      a = FIRST(a, (v_##first)v);                                                                  \
      b = SECOND(b, (v_##second)v);                                                                \
    }                                                                                              \
    name##_lanes(a, b, one, other);                                                                \
  }

/* One number alone: the instruction that uses a vector loads it, and registers are left for more
 * accumulators. */
#define NEITHER(a, b) (a)
#define NOT_HELD(v)   (void)0
enum { ONE_CHAINS = LANES_BYTES == 32 ? 8 : CHAINS };
#define DEFINE_RANGE(type, wide)                                                                   \
  DEFINE_EXTREMES(least_##type, type, ONE_CHAINS, NOT_HELD, type, LEAST_##type, LEAST_1, type,     \
                  NEITHER, NEITHER)                                                                \
  DEFINE_EXTREMES(most_##type, type, ONE_CHAINS, NOT_HELD, type, NEITHER, NEITHER, type,           \
                  MOST_##type, MOST_1)                                                             \
  DEFINE_EXTREMES(both_##type, type, CHAINS, LOADED_ONCE, type, LEAST_##type, LEAST_1, type,       \
                  MOST_##type, MOST_1)                                                             \
  LANES_TARGET static void range_##type(const void *elements, uint64_t n, int wanted,              \
                                        unsigned pages, rh_native_range *range) {                  \
    e_##type least, most;                                                                          \
    if (wanted == NATIVE_LEAST) least_##type(elements, n, pages, &least, &most);                   \
    else if (wanted == NATIVE_MOST) most_##type(elements, n, pages, &least, &most);                \
    else both_##type(elements, n, pages, &least, &most);                                           \
    *range = (rh_native_range){(uint64_t)(wide)least, (uint64_t)(wide)most, 0};                    \
  }
DEFINE_RANGE(i8, int64_t)
DEFINE_RANGE(u8, uint64_t)
DEFINE_RANGE(i16, int64_t)
DEFINE_RANGE(u16, uint64_t)
DEFINE_RANGE(i32, int64_t)
DEFINE_RANGE(u32, uint64_t)
DEFINE_RANGE(i64, int64_t)
DEFINE_RANGE(u64, uint64_t)

/* Two numbers in one pass over the floats' bits, as unsigned and as signed numbers, are all that is
 * needed, if they are the right ones.
 *
 * Numbers from 0 on are ordered by both, and those below 0 are larger as unsigned numbers.  So if
 * there are none below 0, the signed extremes are also the unsigned ones; likewise if there are
 * none from 0 on.  With both, the least of all is the unsigned most and the largest is the signed
 * most, and the unsigned least does not matter. */
#define DEFINE_FLOAT_RANGE(type, u, s)                                                             \
  DEFINE_EXTREMES(signed_##type, s, CHAINS, LOADED_ONCE, s, LEAST_##s, LEAST_1, s, MOST_##s,       \
                  MOST_1)                                                                          \
  DEFINE_EXTREMES(mixed_##type, u, CHAINS, LOADED_ONCE, u, MOST_##u, MOST_1, s, MOST_##s, MOST_1)  \
  LANES_TARGET static int of_one_sign_##type(const void *elements, uint64_t n, unsigned pages,     \
                                             rh_native_range *range) {                             \
    e_##s least, most;                                                                             \
    signed_##type(elements, n, pages, &least, &most);                                              \
    *range = (rh_native_range){(e_##u)least, (e_##u)most, most};                                   \
    return (least < 0) == (most < 0);                                                              \
  }                                                                                                \
  LANES_TARGET static void range_##type(const void *elements, uint64_t n, int wanted,              \
                                        unsigned pages, rh_native_range *range) {                  \
    const e_##s *x = elements;                                                                     \
    int seen = 0;                                                                                  \
    e_##u most;                                                                                    \
    e_##s top;                                                                                     \
    if (plain_range_##type(elements, n, wanted, pages, range)) return;                             \
    for (uint64_t k = 0; k < n && k < LOOK_AHEAD; k++)                                             \
      seen |= (x[k] < 0) == (wanted == NATIVE_LEAST);                                              \
    if (!seen && of_one_sign_##type(elements, n, pages, range)) return;                            \
    mixed_##type(elements, n, pages, &most, &top);                                                 \
    *range = (rh_native_range){0, most, top};                                                      \
  }
/* Elements that are searched for one of the sign that decides: all of them, for where the first one
 * stands cannot be predicted. */
enum { LOOK_AHEAD = 16 };
DEFINE_FLOAT_RANGE(f16, u16, i16)
DEFINE_FLOAT_RANGE(f32, u32, i32)
DEFINE_FLOAT_RANGE(f64, u64, i64)

#endif
