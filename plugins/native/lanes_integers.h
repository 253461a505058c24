/* Sums, sums of magnitudes and products of integers, modulo 2^64. */
#ifndef NATIVE_LANES_INTEGERS_H
#define NATIVE_LANES_INTEGERS_H

#include "lanes_rows.h"

/* Neighbours are added in lanes of twice the width until these have 64 bits, so nothing
 * overflows. */
#define PAIRS(type, x, bits, mask)                                                                 \
  ((((v_##type)(x)) & (mask)) + ((((v_##type)(x)) >> (bits)) & (mask)))
#define WIDEN_64(x) ((v_u64)(x))
#define WIDEN_32(x) PAIRS(u64, x, 32, 0xffffffffu)
#define WIDEN_16(x) WIDEN_32(PAIRS(u32, x, 16, 0xffffu))
#ifdef SUM_OF_BYTES
#define WIDEN_8(x) SUM_OF_BYTES(x)
#else
#define WIDEN_8(x) WIDEN_16(PAIRS(u16, x, 8, (uint16_t)0xff))
#endif

/* A signed number and the unsigned number half the range above it differ only in the top bit. */
#define PLAIN(type, x)     (x)
#define RAISED_8(type, x)  ((v_u8)(x) ^ (uint8_t)TOP(8))
#define RAISED_16(type, x) ((v_u16)(x) ^ (uint16_t)TOP(16))
#define RAISED_32(type, x) ((v_u32)(x) ^ (uint32_t)TOP(32))
/* If x is below 0, the mask has all bits set, and x ^ -1 is -x - 1; unsigned, so that the least
 * number is correct too. */
#define MAGNITUDE(unsign, x)  (((v_##unsign)(x) ^ (v_##unsign)((x) < 0)) - (v_##unsign)((x) < 0))
#define MAGNITUDE_8(type, x)  MAGNITUDE(u8, x)
#define MAGNITUDE_16(type, x) MAGNITUDE(u16, x)
#define MAGNITUDE_32(type, x) MAGNITUDE(u32, x)
#define MAGNITUDE_64(type, x) MAGNITUDE(u64, x)

/* A vector's elements are added to those of a.  Neighbours of 32 bits make a lane of 64: the whole
 * lane is added, and the upper half of it to those of b.  The sum of the lower halves and the upper
 * ones is wanted, and the sum of the lanes is that of the lower halves and 2^32 times that of the
 * upper ones. */
#define GATHER_8(a, b, x)  ((a) += WIDEN_8(x))
#define GATHER_16(a, b, x) ((a) += WIDEN_16(x))
#define GATHER_64(a, b, x) ((a) += WIDEN_64(x))
#define GATHER_32(a, b, x)                                                                         \
  do {                                                                                             \
    v_u64 lane = (v_u64)(x);                                                                       \
    (a) += lane;                                                                                   \
    (b) += lane >> 32;                                                                             \
  } while (0)

/* Modulo 2^64.  above: the offset added to each lane's element.  Fewer elements than a vector has
 * are taken one by one, by ONE: a copy filled up with zeros would take as long as five vectors. */
#define DEFINE_INTEGER(op, type, bits, TRANSFORM, above, ONE)                                      \
  LANES_TARGET INLINE void op##_##type##_row(v_u64 a[CHAINS], v_u64 b[CHAINS],                     \
                                             const e_##type *x) {                                  \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type) };                                               \
    (void)b;                                                                                       \
    EACH(k, CHAINS) GATHER_##bits(a[k], b[k], TRANSFORM(type, LOAD(type, x + k * WIDTH)));         \
  }                                                                                                \
  LANES_TARGET static uint64_t op##_##type##_vectors(const e_##type *x, uint64_t n,                \
                                                     unsigned pages) {                             \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type), ROW_OF = CHAINS * WIDTH };                      \
    v_u64 a[CHAINS], b[CHAINS];                                                                    \
    EACH(k, CHAINS) a[k] = b[k] = (v_u64){0};                                                      \
    uint64_t rows = n / ROW_OF, sum = 0 - n * (above);                                             \
    EACH_ROW(x, rows, CHAINS *LANES_BYTES, pages) op##_##type##_row(a, b, ROW);                    \
    for (uint64_t k = rows * ROW_OF; k < n; k += WIDTH)                                            \
      GATHER_##bits(a[0], b[0], TRANSFORM(type, LOAD(type, x + k)));                               \
    EACH(k, CHAINS) a[k] += b[k] - (b[k] << 32);                                                   \
    EACH(k, CHAINS - 1) a[0] += a[k + 1];                                                          \
    for (size_t k = 0; k < LANES_BYTES / 8; k++) sum += a[0][k];                                   \
    return sum;                                                                                    \
  }                                                                                                \
  LANES_TARGET static void op##_##type(const void *elements, uint64_t n, unsigned pages,           \
                                       void *value) {                                              \
    const e_##type *x = elements;                                                                  \
    const uint64_t whole = n - n % (LANES_BYTES / sizeof *x);                                      \
    uint64_t sum = whole ? op##_##type##_vectors(x, whole, pages) : 0;                             \
    for (uint64_t k = whole; k < n; k++) sum += ONE(x[k]);                                         \
    memcpy(value, &sum, sizeof sum);                                                               \
  }
#define WORD_AS_IS(x) ((uint64_t)(int64_t)(x))
#define WORD_SIZE(x)  ((x) < 0 ? 0 - WORD_AS_IS(x) : WORD_AS_IS(x))
#define AS_IS(x)      ((int64_t)(x))
DEFINE_INTEGER(sum, u8, 8, PLAIN, 0, WORD_AS_IS)
DEFINE_INTEGER(sum, u16, 16, PLAIN, 0, WORD_AS_IS)
DEFINE_INTEGER(sum, u32, 32, PLAIN, 0, WORD_AS_IS)
DEFINE_INTEGER(sum, u64, 64, PLAIN, 0, WORD_AS_IS)
DEFINE_INTEGER(sum, i8, 8, RAISED_8, TOP(8), WORD_AS_IS)
DEFINE_INTEGER(sum, i16, 16, RAISED_16, TOP(16), WORD_AS_IS)
DEFINE_INTEGER(sum, i32, 32, RAISED_32, TOP(32), WORD_AS_IS)
DEFINE_INTEGER(asum, i8, 8, MAGNITUDE_8, 0, WORD_SIZE)
DEFINE_INTEGER(asum, i16, 16, MAGNITUDE_16, 0, WORD_SIZE)
DEFINE_INTEGER(asum, i32, 32, MAGNITUDE_32, 0, WORD_SIZE)
DEFINE_INTEGER(asum, i64, 64, MAGNITUDE_64, 0, WORD_SIZE)

/* Most products of integers soon become 0.  No vectors, because their 64-bit products are slow. */
#define DEFINE_PRODUCT(type)                                                                       \
  LANES_TARGET static void prod_##type(const void *elements, uint64_t n, unsigned pages,           \
                                       void *value) {                                              \
    const e_##type *x = elements;                                                                  \
    (void)pages;                                                                                   \
    uint64_t a[FOUR] = {1, 1, 1, 1};                                                               \
    for (uint64_t row = n / FOUR; row > 0; row--, x += FOUR) {                                     \
      EACH(k, FOUR) a[k] *= (uint64_t)AS_IS(x[k]);                                                 \
    }                                                                                              \
    for (uint64_t k = 0; k < n % FOUR; k++) a[k] *= (uint64_t)AS_IS(x[k]);                         \
    a[0] *= a[1] * (a[2] * a[3]);                                                                  \
    memcpy(value, a, sizeof *a);                                                                   \
  }
DEFINE_PRODUCT(i8)
DEFINE_PRODUCT(u8)
DEFINE_PRODUCT(i16)
DEFINE_PRODUCT(u16)
DEFINE_PRODUCT(i32)
DEFINE_PRODUCT(u32)
DEFINE_PRODUCT(u64)

#endif
