/* The bit operators: elements of any type, byte by byte. */
#ifndef NATIVE_LANES_BITS_H
#define NATIVE_LANES_BITS_H

#include "lanes_rows.h"

#define DEFINE_BITS(op, operation, identity)                                                       \
  LANES_TARGET static void op##_bytes(const void *elements, uint64_t n, unsigned pages,            \
                                      void *value) {                                               \
    const uint64_t rows = n / (FOUR * LANES_BYTES);                                                \
    v_u64 a[FOUR];                                                                                 \
    uint64_t all = identity, word;                                                                 \
    EACH(k, FOUR) a[k] = SPLAT(u64, (uint64_t)identity);                                           \
    EACH_ROW(elements, rows, FOUR *LANES_BYTES, pages) {                                           \
      const unsigned char *x = ROW;                                                                \
      EACH(k, FOUR) a[k] operation LOAD(u64, x + k * LANES_BYTES);                                 \
    }                                                                                              \
    const unsigned char *x = (const unsigned char *)elements + rows * (FOUR * LANES_BYTES);        \
    for (n %= FOUR * LANES_BYTES; n > 0; x += sizeof word) {                                       \
      size_t bytes = n < sizeof word ? (size_t)n : sizeof word;                                    \
      word = identity;                                                                             \
      memcpy(&word, x, bytes);                                                                     \
      all operation word;                                                                          \
      n -= bytes;                                                                                  \
    }                                                                                              \
    a[0] operation a[1];                                                                           \
    a[2] operation a[3];                                                                           \
    a[0] operation a[2];                                                                           \
    for (size_t k = 0; k < LANES_BYTES / 8; k++) all operation a[0][k];                            \
    memcpy(value, &all, sizeof all);                                                               \
  }
DEFINE_BITS(and, &=, UINT64_MAX)
DEFINE_BITS(or, |=, 0)
DEFINE_BITS(xor, ^=, 0)

#endif
