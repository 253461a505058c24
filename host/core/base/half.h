/* IEEE 754 binary16 as bits: C11 has no such type. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Exact; a NaN becomes a quiet one, as processors make it. */
static inline float rh_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7fffu, bits;
  float f;
  if (magnitude >= 0x7c00u) {
    bits = 0x7f800000u | (magnitude & 0x3ffu) << 13; /* infinity or NaN */
    bits |= (uint32_t)(magnitude > 0x7c00u) << 22;
  } else if (magnitude >= 0x400u) {
    bits = (magnitude << 13) + (112u << 23); /* rebias the exponent from 15 to 127 */
  } else {
    f = (float)magnitude * 0x1p-24f; /* subnormal or zero: a normal float */
    memcpy(&bits, &f, sizeof bits);
  }
  bits |= sign;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* Round to nearest, ties to even. */
uint16_t rh_half_from_float(float f);
