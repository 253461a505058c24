/* redhost/exact_state.h: the exact sum of floats that were added, and what it is rounded to.
 * SPDX-License-Identifier: MIT
 *
 * redhost/exact.h adds.  docs/inside/exact-sums.md says what each byte is. */
#ifndef REDHOST_EXACT_STATE_H
#define REDHOST_EXACT_STATE_H

#include <stdint.h>
#include <string.h>

enum {
  RH_EXACT_WORDS = 34,   /* of 64 bits: 2^77 elements of any f64 */
  RH_EXACT_ELEMENTS = 1, /* flags: there are elements; */
  RH_EXACT_OTHERS = 2,   /* one of them is not -0 */
  RH_EXACT_NAN = 4,
  RH_EXACT_PLUS = 8,   /* an infinity */
  RH_EXACT_MINUS = 16, /* the other */
  RH_EXACT_F32_UNIT = 1074 - 149
};

/* Zero-initialised is that of no elements.  Whatever way the elements came, these are its bits. */
typedef struct rh_exact_state {
  uint64_t n, flags;
  /* the sum of the finite elements in units of 2^-1074, the lowest word first, in two's
   * complement */
  uint64_t words[RH_EXACT_WORDS];
} rh_exact_state;

static inline void rh_exact_state_merge(rh_exact_state *to, const rh_exact_state *from) {
  uint64_t carry = 0;
  for (int k = 0; k < RH_EXACT_WORDS; k++) {
    uint64_t sum = to->words[k] + carry;
    carry = sum < carry;
    sum += from->words[k];
    carry += sum < from->words[k];
    to->words[k] = sum;
  }
  to->n += from->n;
  to->flags |= from->flags;
}

/* The bits of a float of `digits` significant bits: |words| is rounded to nearest, ties to even;
 * its last place is that of the smallest subnormal, `lowest`, or above.  The exponent field counts
 * on where the significand overflows, up to infinity. */
static inline uint64_t rh_exact_round(const uint64_t *words, int digits, int lowest,
                                      uint64_t infinity) {
  int top = RH_EXACT_WORDS - 1, rest = 0;
  while (top >= 0 && !words[top]) top--;
  if (top < 0) return 0;
  int last = 64 * top + 63 - __builtin_clzll(words[top]) - (digits - 1);
  if (last < lowest) last = lowest;
  int at = last / 64, by = last % 64;
  uint64_t kept = words[at] >> by;
  if (by && at + 1 < RH_EXACT_WORDS) kept |= words[at + 1] << (64 - by);
  if (last > 0) {
    int half = last - 1;
    for (int k = 0; k < half / 64; k++) rest |= words[k] != 0;
    rest |= (words[half / 64] & ((UINT64_C(1) << (half % 64)) - 1)) != 0;
    kept += words[half / 64] >> (half % 64) & 1 & ((uint64_t)rest | kept);
  }
  uint64_t bits = ((uint64_t)(last - lowest) << (digits - 1)) + kept;
  return bits < infinity ? bits : infinity;
}

/* *words = |S| of the finite elements; is S below 0? */
static inline int rh_exact_magnitude(const rh_exact_state *state, uint64_t *words) {
  int below = state->words[RH_EXACT_WORDS - 1] >> 63 != 0;
  uint64_t carry = (uint64_t)below;
  for (int k = 0; k < RH_EXACT_WORDS; k++) {
    words[k] = (below ? ~state->words[k] : state->words[k]) + carry;
    carry = carry && !words[k];
  }
  return below;
}

/* The bits without the sign of S, or those of what is special; *negative: has it the sign? */
static inline uint64_t rh_exact_state_bits(const rh_exact_state *state, int digits, int lowest,
                                           uint64_t infinity, int *negative) {
  uint64_t words[RH_EXACT_WORDS], flags = state->flags;
  int below = rh_exact_magnitude(state, words);
  *negative = (flags & RH_EXACT_MINUS) != 0;
  if (flags & RH_EXACT_NAN || (flags & RH_EXACT_PLUS && *negative))
    return infinity | infinity >> 1; /* a quiet NaN */
  if (flags & (RH_EXACT_PLUS | RH_EXACT_MINUS)) return infinity;
  *negative = below || (flags & RH_EXACT_ELEMENTS && !(flags & RH_EXACT_OTHERS));
  return rh_exact_round(words, digits, lowest, infinity);
}

/* S, rounded once to nearest, ties to even: as in IEEE 754 NaN where an element is NaN or both
 * infinities occur, else the infinity that occurs, else infinity where the rounded sum overflows.
 * An S of zero is -0 if there are elements and all are -0, else +0. */
static inline double rh_exact_state_double(const rh_exact_state *state) {
  int negative;
  double result;
  uint64_t bits = rh_exact_state_bits(state, 53, 0, UINT64_C(0x7ff) << 52, &negative);
  bits |= (uint64_t)negative << 63;
  memcpy(&result, &bits, sizeof result);
  return result;
}
static inline float rh_exact_state_float(const rh_exact_state *state) {
  int negative;
  float result;
  uint32_t bits =
      (uint32_t)rh_exact_state_bits(state, 24, RH_EXACT_F32_UNIT, UINT64_C(0xff) << 23, &negative);
  bits |= (uint32_t)negative << 31;
  memcpy(&result, &bits, sizeof result);
  return result;
}

#endif
