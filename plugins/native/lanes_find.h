/* The index of the first element that has wanted bits, as the reductions to an index need it. */
#ifndef NATIVE_LANES_FIND_H
#define NATIVE_LANES_FIND_H

#include "lanes_vectors.h"

/* `alone`: the two are the same, and a vector is compared once. */
#define DEFINE_FIND(bits)                                                                          \
  LANES_TARGET INLINE uint64_t find_some_##bits(const e_u##bits *x, uint64_t n, e_u##bits one,     \
                                                e_u##bits other, int alone) {                      \
    enum { WIDTH = LANES_BYTES / sizeof(e_u##bits) };                                              \
    const v_u##bits ones = SPLAT(u##bits, one), others = SPLAT(u##bits, other);                    \
    uint64_t at = 0;                                                                               \
    for (; n - at >= FOUR * WIDTH; at += FOUR * WIDTH) {                                           \
      v_u##bits found = {0};                                                                       \
      EACH(k, FOUR) {                                                                              \
        v_u##bits v = LOAD(u##bits, x + at + k * WIDTH);                                           \
        found |= (v_u##bits)(v == ones);                                                           \
        if (!alone) found |= (v_u##bits)(v == others);                                             \
      }                                                                                            \
      if (ANY(found)) break;                                                                       \
    }                                                                                              \
    for (; n - at >= WIDTH; at += WIDTH) {                                                         \
      v_u##bits v = LOAD(u##bits, x + at), found = (v_u##bits)(v == ones);                         \
      if (!alone) found |= (v_u##bits)(v == others);                                               \
      if (ANY(found)) break;                                                                       \
    }                                                                                              \
    while (at < n && x[at] != one && x[at] != other) at++;                                         \
    return at;                                                                                     \
  }                                                                                                \
  LANES_TARGET static uint64_t find_##bits(const void *elements, uint64_t n, uint64_t a,           \
                                           uint64_t b) {                                           \
    const e_u##bits *x = elements, one = (e_u##bits)a, other = (e_u##bits)b;                       \
    if (one == other) return find_some_##bits(x, n, one, one, 1);                                  \
    return find_some_##bits(x, n, one, other, 0);                                                  \
  }
DEFINE_FIND(8)
DEFINE_FIND(16)
DEFINE_FIND(32)
DEFINE_FIND(64)

#endif
