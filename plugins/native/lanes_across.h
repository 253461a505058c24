/* Many reductions at once: of lanes side by side, whose elements stand one below the other.  Each
 * lane is a column of an array, or a row of a short segment that was brought into one; columns.c
 * calls these loops so that each lane's elements meet in the canonical order. */
#ifndef NATIVE_LANES_ACROSS_H
#define NATIVE_LANES_ACROSS_H

#include "lanes_prod.h"
#include "lanes_sums.h"

/* What is made of an element of memory: itself, its magnitude, or the host's key of a float, by
 * which -0 is below +0, and a NaN, whose key is `none`, wins. */
#define AS_LANE(lane, x) ((lane)(x))
#define AS_WORD(lane, x) ((lane)(int64_t)(x))
#define AS_SIZE(lane, x) ((x) < 0 ? 0 - (lane)(x) : (lane)(x))
#define AS_HALF(lane, x) half_of(x)
#define AS_BITS(lane, x) (x)
#define HALF_BITS(x)     bits_of_half(x)
#define FLOAT_BITS(x)    (x)
/* Of two words one, without a branch: compilers make none of these loops vectors otherwise. */
#define PICK(word, is_first, a, b)                                                                 \
  (((a) & (word)(0 - (word)(is_first))) | ((b) & (word)((word)(is_first)-1)))
INLINE float half_of(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu, rest;
  float made = (float)(int32_t)magnitude * 0x1p-24f;
  memcpy(&rest, &made, sizeof rest);
  rest = PICK(uint32_t, magnitude < 0x400u, rest, (magnitude << 13) + (112u << 23));
  rest |= (0 - (uint32_t)(magnitude >= 0x7c00u)) & 0x7f800000u;
  rest |= sign;
  memcpy(&made, &rest, sizeof made);
  return made;
}
INLINE int32_t bits_of_half(uint16_t x) {
  float wide = half_of(x);
  int32_t bits;
  memcpy(&bits, &wide, sizeof bits);
  return bits;
}
#define DEFINE_KEYS(type, word, infinity, most)                                                    \
  INLINE word key_##type(word x, word none) {                                                      \
    word magnitude = x & (most), key = x < 0 ? x ^ (most) : x;                                     \
    return magnitude > (infinity) ? none : key;                                                    \
  }                                                                                                \
  INLINE word first_key_##type(word x, word none) {                                                \
    word key = key_##type(x, none);                                                                \
    return key & -(word)(key != -1);                                                               \
  }
DEFINE_KEYS(f32, int32_t, 0x7f800000, INT32_MAX)
DEFINE_KEYS(f64, int64_t, INT64_C(0x7ff) << 52, INT64_MAX)
#define LEAST_f16(lane, x)       key_f32(bits_of_half(x), INT32_MIN)
#define LEAST_f32(lane, x)       key_f32(x, INT32_MIN)
#define LEAST_f64(lane, x)       key_f64(x, INT64_MIN)
#define MOST_f16(lane, x)        key_f32(bits_of_half(x), INT32_MAX)
#define MOST_f32(lane, x)        key_f32(x, INT32_MAX)
#define MOST_f64(lane, x)        key_f64(x, INT64_MAX)
#define FIRST_LEAST_f16(lane, x) first_key_f32(bits_of_half(x), INT32_MIN)
#define FIRST_LEAST_f32(lane, x) first_key_f32(x, INT32_MIN)
#define FIRST_LEAST_f64(lane, x) first_key_f64(x, INT64_MIN)
#define FIRST_MOST_f16(lane, x)  first_key_f32(bits_of_half(x), INT32_MAX)
#define FIRST_MOST_f32(lane, x)  first_key_f32(x, INT32_MAX)
#define FIRST_MOST_f64(lane, x)  first_key_f64(x, INT64_MAX)
#define LARGEST_f16(lane, x)     key_f32(bits_of_half(x) & INT32_MAX, INT32_MAX)
#define LARGEST_f32(lane, x)     key_f32((x)&INT32_MAX, INT32_MAX)
#define LARGEST_f64(lane, x)     key_f64((x)&INT64_MAX, INT64_MAX)
#define SUM_SIZE_f16(lane, x)    magnitude_f32(half_of(x))
#define SUM_SIZE_f32(lane, x)    magnitude_f32(x)
#define SUM_SIZE_f64(lane, x)    magnitude_f64(x)

#define PLUS(a, b)       ((a) + (b))
#define TIMES(a, b)      ((a) * (b))
#define LESSER_OF(a, b)  ((b) < (a) ? (b) : (a))
#define GREATER_OF(a, b) ((b) > (a) ? (b) : (a))
#define BOTH(a, b)       ((a) & (b))
#define EITHER(a, b)     ((a) | (b))
#define ONE_OF(a, b)     ((a) ^ (b))
#define LESS(a, b)       ((a) < (b))
#define MORE(a, b)       ((a) > (b))

/* ---- A value of one part ---- */

#define DEFINE_MERGE(name, lane, APPLY)                                                            \
  LANES_TARGET static void name(void *to, const void *from, uint64_t more, uint64_t n,             \
                                uint64_t beside) {                                                 \
    lane *restrict a = to;                                                                         \
    const lane *restrict b = from;                                                                 \
    (void)more;                                                                                    \
    (void)beside;                                                                                  \
    for (uint64_t j = 0; j < n; j++) a[j] = APPLY(a[j], b[j]);                                     \
  }
#define DEFINE_MERGES(name, APPLY)                                                                 \
  DEFINE_MERGE(name##_i32, int32_t, APPLY)                                                         \
  DEFINE_MERGE(name##_u32, uint32_t, APPLY)                                                        \
  DEFINE_MERGE(name##_i64, int64_t, APPLY)                                                         \
  DEFINE_MERGE(name##_u64, uint64_t, APPLY)
DEFINE_MERGES(lesser, LESSER_OF)
DEFINE_MERGES(greater, GREATER_OF)
DEFINE_MERGES(and, BOTH)
DEFINE_MERGES(or, EITHER)
DEFINE_MERGES(xor, ONE_OF)
DEFINE_MERGE(plus_f32, float, PLUS)
DEFINE_MERGE(plus_f64, double, PLUS)
DEFINE_MERGE(plus_u64, uint64_t, PLUS)
DEFINE_MERGE(times_u64, uint64_t, TIMES)

/* part: what eight elements are combined as, before they become a lane. */
#define DEFINE_LANES_BY(name, element, lane, part, ONE, APPLY)                                     \
  LANES_TARGET static void name##_one(const void *from, uint64_t n, void *to, uint64_t beside) {   \
    const element *restrict x = from;                                                              \
    lane *restrict a = to;                                                                         \
    (void)beside;                                                                                  \
    for (uint64_t j = 0; j < n; j++) a[j] = (lane)ONE(lane, x[j]);                                 \
  }                                                                                                \
  INLINE part name##_pairs(element a, element b, element c, element d) {                           \
    part first = ONE(part, a), second = ONE(part, b), third = ONE(part, c), last = ONE(part, d);   \
    first = (part)APPLY(first, second);                                                            \
    third = (part)APPLY(third, last);                                                              \
    return (part)APPLY(first, third);                                                              \
  }                                                                                                \
  LANES_TARGET static void name##_four(const void *const *from, uint64_t apart, uint64_t n,        \
                                       void *to, uint64_t beside) {                                \
    const element *restrict x = from[0], *restrict y = from[1];                                    \
    const element *restrict z = from[2], *restrict w = from[3];                                    \
    lane *restrict a = to;                                                                         \
    (void)apart;                                                                                   \
    (void)beside;                                                                                  \
    for (uint64_t j = 0; j < n; j++) a[j] = (lane)name##_pairs(x[j], y[j], z[j], w[j]);            \
  }                                                                                                \
  LANES_TARGET static void name##_eight(const void *const *from, uint64_t apart, uint64_t n,       \
                                        void *to, uint64_t beside) {                               \
    const element *restrict x = from[0], *restrict y = from[1];                                    \
    const element *restrict z = from[2], *restrict w = from[3];                                    \
    const element *restrict p = from[4], *restrict q = from[5];                                    \
    const element *restrict r = from[6], *restrict s = from[7];                                    \
    lane *restrict a = to;                                                                         \
    (void)apart;                                                                                   \
    (void)beside;                                                                                  \
    for (uint64_t j = 0; j < n; j++) {                                                             \
      part upper = name##_pairs(x[j], y[j], z[j], w[j]);                                           \
      part lower = name##_pairs(p[j], q[j], r[j], s[j]);                                           \
      a[j] = (lane)APPLY(upper, lower);                                                            \
    }                                                                                              \
  }
#define DEFINE_LANES(name, element, lane, ONE, APPLY)                                              \
  DEFINE_LANES_BY(name, element, lane, lane, ONE, APPLY)
#define DEFINE_OF_INTEGERS(op, ONE, APPLY)                                                         \
  DEFINE_LANES(op##_i8_lanes, int8_t, uint64_t, ONE, APPLY)                                        \
  DEFINE_LANES(op##_i16_lanes, int16_t, uint64_t, ONE, APPLY)                                      \
  DEFINE_LANES(op##_i32_lanes, int32_t, uint64_t, ONE, APPLY)                                      \
  DEFINE_LANES(op##_i64_lanes, int64_t, uint64_t, ONE, APPLY)
#define DEFINE_OF_UNSIGNED(op, APPLY)                                                              \
  DEFINE_LANES(op##_u8_lanes, uint8_t, uint64_t, AS_LANE, APPLY)                                   \
  DEFINE_LANES(op##_u16_lanes, uint16_t, uint64_t, AS_LANE, APPLY)                                 \
  DEFINE_LANES(op##_u32_lanes, uint32_t, uint64_t, AS_LANE, APPLY)
/* Eight of 16 bits and fewer do not overflow 32 bits. */
DEFINE_LANES_BY(sum_i8_lanes, int8_t, int64_t, int32_t, AS_LANE, PLUS)
DEFINE_LANES_BY(sum_i16_lanes, int16_t, int64_t, int32_t, AS_LANE, PLUS)
DEFINE_LANES_BY(sum_u8_lanes, uint8_t, uint64_t, uint32_t, AS_LANE, PLUS)
DEFINE_LANES_BY(sum_u16_lanes, uint16_t, uint64_t, uint32_t, AS_LANE, PLUS)
DEFINE_LANES(sum_i32_lanes, int32_t, uint64_t, AS_WORD, PLUS)
DEFINE_LANES(sum_u32_lanes, uint32_t, uint64_t, AS_LANE, PLUS)
DEFINE_LANES(sum_i64_lanes, int64_t, uint64_t, AS_WORD, PLUS)
DEFINE_OF_INTEGERS(asum, AS_SIZE, PLUS)
DEFINE_OF_INTEGERS(prod, AS_WORD, TIMES)
DEFINE_OF_UNSIGNED(prod, TIMES)
DEFINE_LANES(sum_f16_lanes, uint16_t, float, AS_HALF, PLUS)
DEFINE_LANES(sum_f32_lanes, float, float, AS_LANE, PLUS)
DEFINE_LANES(sum_f64_lanes, double, double, AS_LANE, PLUS)
DEFINE_LANES(wide_f32_lanes, float, double, AS_LANE, PLUS)
DEFINE_LANES(asum_f16_lanes, uint16_t, float, SUM_SIZE_f16, PLUS)
DEFINE_LANES(asum_f32_lanes, float, float, SUM_SIZE_f32, PLUS)
DEFINE_LANES(asum_f64_lanes, double, double, SUM_SIZE_f64, PLUS)

#define DEFINE_OF_WORDS(op, APPLY)                                                                 \
  DEFINE_LANES_BY(op##_i8_lanes, int8_t, int32_t, int8_t, AS_LANE, APPLY)                          \
  DEFINE_LANES_BY(op##_u8_lanes, uint8_t, uint32_t, uint8_t, AS_LANE, APPLY)                       \
  DEFINE_LANES_BY(op##_i16_lanes, int16_t, int32_t, int16_t, AS_LANE, APPLY)                       \
  DEFINE_LANES_BY(op##_u16_lanes, uint16_t, uint32_t, uint16_t, AS_LANE, APPLY)                    \
  DEFINE_LANES(op##_i32_lanes, int32_t, int32_t, AS_LANE, APPLY)                                   \
  DEFINE_LANES(op##_u32_lanes, uint32_t, uint32_t, AS_LANE, APPLY)                                 \
  DEFINE_LANES(op##_i64_lanes, int64_t, int64_t, AS_LANE, APPLY)                                   \
  DEFINE_LANES(op##_u64_lanes, uint64_t, uint64_t, AS_LANE, APPLY)
DEFINE_OF_WORDS(and, BOTH)
DEFINE_OF_WORDS(or, EITHER)
DEFINE_OF_WORDS(xor, ONE_OF)
DEFINE_OF_WORDS(min, LESSER_OF)
DEFINE_OF_WORDS(max, GREATER_OF)
#define DEFINE_OF_KEYS(op, KEY, APPLY)                                                             \
  DEFINE_LANES(op##_f16_lanes, uint16_t, int32_t, KEY##_f16, APPLY)                                \
  DEFINE_LANES(op##_f32_lanes, int32_t, int32_t, KEY##_f32, APPLY)                                 \
  DEFINE_LANES(op##_f64_lanes, int64_t, int64_t, KEY##_f64, APPLY)
DEFINE_OF_KEYS(min, LEAST, LESSER_OF)
DEFINE_OF_KEYS(max, MOST, GREATER_OF)
DEFINE_OF_KEYS(amax, LARGEST, GREATER_OF)
DEFINE_LANES(amax_i8_lanes, int8_t, uint32_t, AS_SIZE, GREATER_OF)
DEFINE_LANES(amax_i16_lanes, int16_t, uint32_t, AS_SIZE, GREATER_OF)
DEFINE_LANES(amax_i32_lanes, int32_t, uint32_t, AS_SIZE, GREATER_OF)
DEFINE_LANES(amax_i64_lanes, int64_t, uint64_t, AS_SIZE, GREATER_OF)

/* ---- A key, and the row that it stands in ---- */

/* The pair that comes first stays where both are alike: of a, or at the lower row. */
#define DEFINE_FIRST_MERGE(name, lane, word, BEATS)                                                \
  LANES_TARGET static void name(void *to, const void *from, uint64_t more, uint64_t n,             \
                                uint64_t beside) {                                                 \
    lane *restrict a = to;                                                                         \
    const lane *restrict b = from;                                                                 \
    word *restrict at = (void *)((char *)to + beside);                                             \
    const word *restrict other = (const void *)((const char *)from + beside);                      \
    const word below = (word)more;                                                                 \
    for (uint64_t j = 0; j < n; j++) {                                                             \
      word row = other[j] + below;                                                                 \
      int is_better = BEATS(b[j], a[j]) | ((b[j] == a[j]) & (row < at[j]));                        \
      a[j] = is_better ? b[j] : a[j];                                                              \
      at[j] = is_better ? row : at[j];                                                             \
    }                                                                                              \
  }
#define DEFINE_FIRST_MERGES(name, BEATS)                                                           \
  DEFINE_FIRST_MERGE(name##_i32, int32_t, int32_t, BEATS)                                          \
  DEFINE_FIRST_MERGE(name##_u32, uint32_t, int32_t, BEATS)                                         \
  DEFINE_FIRST_MERGE(name##_i64, int64_t, int64_t, BEATS)                                          \
  DEFINE_FIRST_MERGE(name##_u64, uint64_t, int64_t, BEATS)
DEFINE_FIRST_MERGES(first_lesser, LESS)
DEFINE_FIRST_MERGES(first_greater, MORE)

/* In front of a loop of more arrays than a compiler compares: it reads none that it writes. */
#if defined(__clang__)
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define DEFINE_FIRST(name, element, lane, word, KEY, BEATS)                                        \
  LANES_TARGET static void name##_one(const void *from, uint64_t n, void *to, uint64_t beside) {   \
    const element *restrict x = from;                                                              \
    lane *restrict a = to;                                                                         \
    for (uint64_t j = 0; j < n; j++) a[j] = KEY(lane, x[j]);                                       \
    memset((char *)to + beside, 0, n * sizeof(word));                                              \
  }                                                                                                \
  /* The first of those that are alike stays. */                                                   \
  INLINE lane name##_pairs(lane a, lane b, lane c, lane d, word apart, word *row) {                \
    word second = apart, third = (word)(2 * apart), last = (word)(3 * apart);                      \
    word upper = PICK(word, BEATS(b, a), second, (word)0);                                         \
    word lower = PICK(word, BEATS(d, c), last, third);                                             \
    a = PICK(lane, BEATS(b, a), b, a);                                                             \
    c = PICK(lane, BEATS(d, c), d, c);                                                             \
    *row = PICK(word, BEATS(c, a), lower, upper);                                                  \
    return PICK(lane, BEATS(c, a), c, a);                                                          \
  }                                                                                                \
  LANES_TARGET static void name##_four(const void *const *from, uint64_t apart, uint64_t n,        \
                                       void *to, uint64_t beside) {                                \
    const element *restrict x = from[0], *restrict y = from[1];                                    \
    const element *restrict z = from[2], *restrict w = from[3];                                    \
    lane *restrict key = to;                                                                       \
    word *restrict at = (void *)((char *)to + beside);                                             \
    const word step = (word)apart;                                                                 \
    INDEPENDENT                                                                                    \
    for (uint64_t j = 0; j < n; j++) {                                                             \
      word row;                                                                                    \
      key[j] = name##_pairs(KEY(lane, x[j]), KEY(lane, y[j]), KEY(lane, z[j]), KEY(lane, w[j]),    \
                            step, &row);                                                           \
      at[j] = row;                                                                                 \
    }                                                                                              \
  }                                                                                                \
  LANES_TARGET static void name##_eight(const void *const *from, uint64_t apart, uint64_t n,       \
                                        void *to, uint64_t beside) {                               \
    const element *restrict x = from[0], *restrict y = from[1];                                    \
    const element *restrict z = from[2], *restrict w = from[3];                                    \
    const element *restrict p = from[4], *restrict q = from[5];                                    \
    const element *restrict r = from[6], *restrict s = from[7];                                    \
    lane *restrict key = to;                                                                       \
    word *restrict at = (void *)((char *)to + beside);                                             \
    const word step = (word)apart;                                                                 \
    INDEPENDENT                                                                                    \
    for (uint64_t j = 0; j < n; j++) {                                                             \
      word upper, lower;                                                                           \
      lane a = name##_pairs(KEY(lane, x[j]), KEY(lane, y[j]), KEY(lane, z[j]), KEY(lane, w[j]),    \
                            step, &upper);                                                         \
      lane b = name##_pairs(KEY(lane, p[j]), KEY(lane, q[j]), KEY(lane, r[j]), KEY(lane, s[j]),    \
                            step, &lower);                                                         \
      lower = (word)(lower + 4 * step);                                                            \
      key[j] = PICK(lane, BEATS(b, a), b, a);                                                      \
      at[j] = PICK(word, BEATS(b, a), lower, upper);                                               \
    }                                                                                              \
  }
#define DEFINE_FIRSTS(op, KEY, BEATS)                                                              \
  DEFINE_FIRST(op##_i8_lanes, int8_t, int32_t, int32_t, AS_LANE, BEATS)                            \
  DEFINE_FIRST(op##_u8_lanes, uint8_t, uint32_t, int32_t, AS_LANE, BEATS)                          \
  DEFINE_FIRST(op##_i16_lanes, int16_t, int32_t, int32_t, AS_LANE, BEATS)                          \
  DEFINE_FIRST(op##_u16_lanes, uint16_t, uint32_t, int32_t, AS_LANE, BEATS)                        \
  DEFINE_FIRST(op##_i32_lanes, int32_t, int32_t, int32_t, AS_LANE, BEATS)                          \
  DEFINE_FIRST(op##_u32_lanes, uint32_t, uint32_t, int32_t, AS_LANE, BEATS)                        \
  DEFINE_FIRST(op##_i64_lanes, int64_t, int64_t, int64_t, AS_LANE, BEATS)                          \
  DEFINE_FIRST(op##_u64_lanes, uint64_t, uint64_t, int64_t, AS_LANE, BEATS)                        \
  DEFINE_FIRSTS_OF_KEYS(op, KEY, BEATS)
#define DEFINE_FIRSTS_OF_KEYS(op, KEY, BEATS)                                                      \
  DEFINE_FIRST(op##_f16_lanes, uint16_t, int32_t, int32_t, KEY##_f16, BEATS)                       \
  DEFINE_FIRST(op##_f32_lanes, int32_t, int32_t, int32_t, KEY##_f32, BEATS)                        \
  DEFINE_FIRST(op##_f64_lanes, int64_t, int64_t, int64_t, KEY##_f64, BEATS)
DEFINE_FIRSTS(argmin, FIRST_LEAST, LESS)
DEFINE_FIRSTS(argmax, FIRST_MOST, MORE)
DEFINE_FIRSTS_OF_KEYS(argamax, LARGEST, MORE)
DEFINE_FIRST(argamax_i8_lanes, int8_t, uint32_t, int32_t, AS_SIZE, MORE)
DEFINE_FIRST(argamax_i16_lanes, int16_t, uint32_t, int32_t, AS_SIZE, MORE)
DEFINE_FIRST(argamax_i32_lanes, int32_t, uint32_t, int32_t, AS_SIZE, MORE)
DEFINE_FIRST(argamax_i64_lanes, int64_t, uint64_t, int64_t, AS_SIZE, MORE)

/* ---- A mantissa and an exponent ---- */

/* Subnormal numbers become normal ones by operations on integers and normal numbers, whatever the
 * processor was set to make of them.  CONVERT makes a fraction a float. */
#define CONVERT_f32(x, made) ((made) = (float)(int32_t)(x))
#define CONVERT_f64(x, made)                                                                       \
  do {                                                                                             \
    uint64_t shifted = (x) | UINT64_C(0x433) << 52;                                                \
    memcpy(&(made), &shifted, sizeof shifted);                                                     \
    (made) -= 0x1p52;                                                                              \
  } while (0)
#define DEFINE_SCALED_LANES(lane, scalar, u, s, most)                                              \
  INLINE scalar as_scaled_##lane(scalar x, s *exponent) {                                          \
    const u fractions = ((u)1 << EXPONENT_AT_##lane) - 1, top = (u)1 << (8 * sizeof(u) - 1);       \
    u bits, small, made;                                                                           \
    scalar number;                                                                                 \
    memcpy(&bits, &x, sizeof bits);                                                                \
    CONVERT_##lane(bits &fractions, number);                                                       \
    memcpy(&small, &number, sizeof small);                                                         \
    s field = (s)(bits >> EXPONENT_AT_##lane & most);                                              \
    s of_small = (s)(small >> EXPONENT_AT_##lane) - (s)BIAS_##lane + 1 - EXPONENT_AT_##lane;       \
    s shifted = PICK(s, field == 0, of_small, field);                                              \
    made = PICK(u, field == 0, small, bits);                                                       \
    made = (bits & top) | (u)BIAS_##lane << EXPONENT_AT_##lane | (made & fractions);               \
    int is_odd = ((bits & ~top) == 0) | (field == (s)most);                                        \
    made = PICK(u, is_odd, bits, made);                                                            \
    *exponent = (shifted - (s)BIAS_##lane) & ((s)is_odd - 1);                                      \
    memcpy(&x, &made, sizeof x);                                                                   \
    return x;                                                                                      \
  }                                                                                                \
  INLINE scalar product_##lane(scalar a, scalar b, s *exponent, s other) {                         \
    u bits;                                                                                        \
    a *= b;                                                                                        \
    memcpy(&bits, &a, sizeof bits);                                                                \
    u carry = bits >> (8 * sizeof bits - 2) & ~(bits >> (8 * sizeof bits - 3)) & 1;                \
    bits -= carry << EXPONENT_AT_##lane;                                                           \
    *exponent += other + (s)carry;                                                                 \
    memcpy(&a, &bits, sizeof a);                                                                   \
    return a;                                                                                      \
  }                                                                                                \
  LANES_TARGET static void scaled_product_##lane(void *to, const void *from, uint64_t more,        \
                                                 uint64_t n, uint64_t beside) {                    \
    scalar *restrict a = to;                                                                       \
    const scalar *restrict b = from;                                                               \
    s *restrict at = (void *)((char *)to + beside);                                                \
    const s *restrict other = (const void *)((const char *)from + beside);                         \
    (void)more;                                                                                    \
    for (uint64_t j = 0; j < n; j++) a[j] = product_##lane(a[j], b[j], &at[j], other[j]);          \
  }
DEFINE_SCALED_LANES(f32, float, uint32_t, int32_t, 0xff)
DEFINE_SCALED_LANES(f64, double, uint64_t, int64_t, 0x7ff)
/* Numbers whose exponents are so small that the product of eight is neither too large nor
 * subnormal are multiplied as they are, and its exponent taken out once, which changes no rounding.
 * The top bit of far() is set for all other numbers. */
enum { STRIP = 128 };
#define DEFINE_NEAR(lane, scalar, u, s, most, near)                                                \
  INLINE u far_##lane(scalar x) {                                                                  \
    u bits;                                                                                        \
    memcpy(&bits, &x, sizeof bits);                                                                \
    bits &= ((u)1 << (8 * sizeof(u) - 1)) - 1;                                                     \
    u low = (u)(BIAS_##lane - (near)) << EXPONENT_AT_##lane;                                       \
    u high = (u)(BIAS_##lane + (near)) << EXPONENT_AT_##lane;                                      \
    return (bits - low) | (high - bits);                                                           \
  }                                                                                                \
  INLINE scalar split_##lane(scalar x, s *exponent) {                                              \
    u bits;                                                                                        \
    memcpy(&bits, &x, sizeof bits);                                                                \
    *exponent = (s)(bits >> EXPONENT_AT_##lane & (most)) - (s)BIAS_##lane;                         \
    bits -= (u)*exponent << EXPONENT_AT_##lane;                                                    \
    memcpy(&x, &bits, sizeof x);                                                                   \
    return x;                                                                                      \
  }
DEFINE_NEAR(f32, float, uint32_t, int32_t, 0xff, 15)
DEFINE_NEAR(f64, double, uint64_t, int64_t, 0x7ff, 127)

#define DEFINE_PROD(name, element, lane, scalar, u, s, ONE)                                        \
  LANES_TARGET static void name##_one(const void *from, uint64_t n, void *to, uint64_t beside) {   \
    const element *restrict x = from;                                                              \
    scalar *restrict a = to;                                                                       \
    s *restrict at = (void *)((char *)to + beside);                                                \
    for (uint64_t j = 0; j < n; j++) a[j] = as_scaled_##lane(ONE(scalar, x[j]), &at[j]);           \
  }                                                                                                \
  INLINE scalar name##_pairs(element x, element y, element z, element w, s *exponent) {            \
    s of_b, of_c, of_d;                                                                            \
    scalar a = as_scaled_##lane(ONE(scalar, x), exponent);                                         \
    scalar b = as_scaled_##lane(ONE(scalar, y), &of_b);                                            \
    scalar c = as_scaled_##lane(ONE(scalar, z), &of_c);                                            \
    scalar d = as_scaled_##lane(ONE(scalar, w), &of_d);                                            \
    a = product_##lane(a, b, exponent, of_b);                                                      \
    c = product_##lane(c, d, &of_c, of_d);                                                         \
    return product_##lane(a, c, exponent, of_c);                                                   \
  }                                                                                                \
  INLINE scalar name##_plain(element x, element y, element z, element w, u *odd) {                 \
    scalar a = ONE(scalar, x), b = ONE(scalar, y), c = ONE(scalar, z), d = ONE(scalar, w);         \
    *odd |= (far_##lane(a) | far_##lane(b)) | (far_##lane(c) | far_##lane(d));                     \
    a *= b;                                                                                        \
    c *= d;                                                                                        \
    return a * c;                                                                                  \
  }                                                                                                \
  LANES_TARGET static void name##_four(const void *const *from, uint64_t apart, uint64_t n,        \
                                       void *to, uint64_t beside) {                                \
    const element *restrict x = from[0], *restrict y = from[1];                                    \
    const element *restrict z = from[2], *restrict w = from[3];                                    \
    scalar *restrict a = to;                                                                       \
    s *restrict at = (void *)((char *)to + beside);                                                \
    (void)apart;                                                                                   \
    for (uint64_t first = 0, end; first < n; first = end) {                                        \
      u odd = 0;                                                                                   \
      end = n - first < STRIP ? n : first + STRIP;                                                 \
      for (uint64_t j = first; j < end; j++)                                                       \
        a[j] = split_##lane(name##_plain(x[j], y[j], z[j], w[j], &odd), &at[j]);                   \
      if (odd >> (8 * sizeof odd - 1) == 0) continue;                                              \
      for (uint64_t j = first; j < end; j++) a[j] = name##_pairs(x[j], y[j], z[j], w[j], &at[j]);  \
    }                                                                                              \
  }                                                                                                \
  LANES_TARGET static void name##_eight(const void *const *from, uint64_t apart, uint64_t n,       \
                                        void *to, uint64_t beside) {                               \
    const element *restrict x = from[0], *restrict y = from[1];                                    \
    const element *restrict z = from[2], *restrict w = from[3];                                    \
    const element *restrict p = from[4], *restrict q = from[5];                                    \
    const element *restrict r = from[6], *restrict t = from[7];                                    \
    scalar *restrict a = to;                                                                       \
    s *restrict at = (void *)((char *)to + beside);                                                \
    (void)apart;                                                                                   \
    for (uint64_t first = 0, end; first < n; first = end) {                                        \
      u odd = 0;                                                                                   \
      end = n - first < STRIP ? n : first + STRIP;                                                 \
      for (uint64_t j = first; j < end; j++) {                                                     \
        scalar upper = name##_plain(x[j], y[j], z[j], w[j], &odd);                                 \
        scalar lower = name##_plain(p[j], q[j], r[j], t[j], &odd);                                 \
        a[j] = split_##lane(upper * lower, &at[j]);                                                \
      }                                                                                            \
      if (odd >> (8 * sizeof odd - 1) == 0) continue;                                              \
      for (uint64_t j = first; j < end; j++) {                                                     \
        s exponent, other;                                                                         \
        scalar upper = name##_pairs(x[j], y[j], z[j], w[j], &exponent);                            \
        scalar lower = name##_pairs(p[j], q[j], r[j], t[j], &other);                               \
        a[j] = product_##lane(upper, lower, &exponent, other);                                     \
        at[j] = exponent;                                                                          \
      }                                                                                            \
    }                                                                                              \
  }
DEFINE_PROD(prod_f16_lanes, uint16_t, f32, float, uint32_t, int32_t, AS_HALF)
DEFINE_PROD(prod_f32_lanes, float, f32, float, uint32_t, int32_t, AS_LANE)
DEFINE_PROD(prod_f64_lanes, double, f64, double, uint64_t, int64_t, AS_LANE)

/* ---- The table ---- */

/* Of `type`, by the loops of another that has as many bytes. */
#define ACROSS(op, type, of, merge, bytes, parts)                                                  \
  [RH_TYPE_##type] = {                                                                             \
      op##_##of##_lanes_one, op##_##of##_lanes_four, op##_##of##_lanes_eight, merge, bytes, parts}
#define SIGNED(op, merge)                                                                          \
  ACROSS(op, i8, i8, merge##_u64, 8, 1), ACROSS(op, i16, i16, merge##_u64, 8, 1),                  \
      ACROSS(op, i32, i32, merge##_u64, 8, 1), ACROSS(op, i64, i64, merge##_u64, 8, 1)
#define UNSIGNED(op, merge)                                                                        \
  ACROSS(op, u8, u8, merge##_u64, 8, 1), ACROSS(op, u16, u16, merge##_u64, 8, 1),                  \
      ACROSS(op, u32, u32, merge##_u64, 8, 1), ACROSS(op, u64, i64, merge##_u64, 8, 1)
#define ALL(op, merge) SIGNED(op, merge), UNSIGNED(op, merge)
#define POSITIVE(op, merge, parts)                                                                 \
  ACROSS(op, u8, u8, merge##_u32, 4, parts), ACROSS(op, u16, u16, merge##_u32, 4, parts),          \
      ACROSS(op, u32, u32, merge##_u32, 4, parts), ACROSS(op, u64, u64, merge##_u64, 8, parts)
#define WORDS(op, merge, parts)                                                                    \
  ACROSS(op, i8, i8, merge##_i32, 4, parts), ACROSS(op, i16, i16, merge##_i32, 4, parts),          \
      ACROSS(op, i32, i32, merge##_i32, 4, parts), ACROSS(op, i64, i64, merge##_i64, 8, parts),    \
      POSITIVE(op, merge, parts)
#define SIZES(op, of_unsigned, merge, parts)                                                       \
  ACROSS(op, i8, i8, merge##_u32, 4, parts), ACROSS(op, i16, i16, merge##_u32, 4, parts),          \
      ACROSS(op, i32, i32, merge##_u32, 4, parts), ACROSS(op, i64, i64, merge##_u64, 8, parts),    \
      POSITIVE(of_unsigned, merge, parts)
#define KEYS(op, merge, parts)                                                                     \
  ACROSS(op, f16, f16, merge##_i32, 4, parts), ACROSS(op, f32, f32, merge##_i32, 4, parts),        \
      ACROSS(op, f64, f64, merge##_i64, 8, parts)
const rh_native_across ACROSS_TABLE[NATIVE_SUM_WIDE + 1][NATIVE_TYPES] = {
    [RH_OP_sum] = {ALL(sum, plus), ACROSS(sum, f16, f16, plus_f32, 4, 1),
                   ACROSS(sum, f32, f32, plus_f32, 4, 1), ACROSS(sum, f64, f64, plus_f64, 8, 1)},
    [RH_OP_asum] = {SIGNED(asum, plus), UNSIGNED(sum, plus), ACROSS(asum, f16, f16, plus_f32, 4, 1),
                    ACROSS(asum, f32, f32, plus_f32, 4, 1), ACROSS(asum, f64, f64, plus_f64, 8, 1)},
    [RH_OP_prod] = {ALL(prod, times), ACROSS(prod, f16, f16, scaled_product_f32, 4, 2),
                    ACROSS(prod, f32, f32, scaled_product_f32, 4, 2),
                    ACROSS(prod, f64, f64, scaled_product_f64, 8, 2)},
    [RH_OP_and] = {WORDS(and, and, 1)},
    [RH_OP_or] = {WORDS(or, or, 1)},
    [RH_OP_xor] = {WORDS(xor, xor, 1)},
    [RH_OP_min] = {WORDS(min, lesser, 1), KEYS(min, lesser, 1)},
    [RH_OP_max] = {WORDS(max, greater, 1), KEYS(max, greater, 1)},
    [RH_OP_amax] = {SIZES(amax, max, greater, 1), KEYS(amax, greater, 1)},
    [RH_OP_argmin] = {WORDS(argmin, first_lesser, 2), KEYS(argmin, first_lesser, 2)},
    [RH_OP_argmax] = {WORDS(argmax, first_greater, 2), KEYS(argmax, first_greater, 2)},
    [RH_OP_argamax] = {SIZES(argamax, argmax, first_greater, 2), KEYS(argamax, first_greater, 2)},
    [NATIVE_SUM_WIDE] = {ACROSS(wide, f64, f32, plus_f64, 8, 1)}};

#endif
