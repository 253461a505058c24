/* The index of the first element that has wanted bits, as the reductions to an index need it. */
#ifndef NATIVE_LANES_FIND_H
#define NATIVE_LANES_FIND_H

#include "lanes_vectors.h"

#define DEFINE_FIND(bits)                                                                          \
  LANES_TARGET static uint64_t find_##bits(const void *elements, uint64_t n, uint64_t a,           \
                                           uint64_t b) {                                           \
    enum { WIDTH = LANES_BYTES / sizeof(e_u##bits) };                                              \
    const e_u##bits *x = elements, one = (e_u##bits)a, other = (e_u##bits)b;                       \
    const v_u##bits ones = SPLAT(u##bits, one), others = SPLAT(u##bits, other);                    \
    uint64_t at = 0;                                                                               \
    for (; n - at >= FOUR * WIDTH; at += FOUR * WIDTH) {                                           \
      v_u##bits found = {0};                                                                       \
      EACH(k, FOUR) {                                                                              \
        v_u##bits v = LOAD(u##bits, x + at + k * WIDTH);                                           \
        found |= (v_u##bits)(v == ones) | (v_u##bits)(v == others);                                \
      }                                                                                            \
      if (ANY(found)) break;                                                                       \
    }                                                                                              \
    while (at < n && x[at] != one && x[at] != other) at++;                                         \
    return at;                                                                                     \
  }
DEFINE_FIND(8)
DEFINE_FIND(16)
DEFINE_FIND(32)
DEFINE_FIND(64)

#endif
