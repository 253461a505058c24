/* Splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA
 * 2014). */
#pragma once

#include <stdint.h>

static const uint64_t rh_random_step = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */

/* The finaliser: every bit of the answer depends on every bit of x. */
static inline uint64_t rh_random_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* The next 64 bits of a sequence; any first state will do. */
static inline uint64_t rh_random_next(uint64_t *state) {
  return rh_random_mix(*state += rh_random_step);
}
