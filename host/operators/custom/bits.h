#pragma once

#include <stdint.h>

/* The bits of t in reverse order, as many as numbers below `end` have, a power of two: if item t
 * stands there, neighbours are in the two halves of an array, at the same places of them. */
static inline uint64_t rh_bits_reversed(uint64_t t, uint64_t end) {
  uint64_t result = 0;
  for (uint64_t bit = 1; bit < end; bit *= 2, t /= 2) result = 2 * result + t % 2;
  return result;
}
