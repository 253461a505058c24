#include "base.h"

uint16_t rh_half_from_float(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u); /* NaN */
  if (magnitude >= 0x477ff000u)
    return (uint16_t)(sign | 0x7c00u); /* rounds to 65536 or is infinite */
  if (magnitude < 0x38800000u)         /* subnormal or zero */
    return (uint16_t)(sign | (uint32_t)nearbyintf(fabsf(f) * 0x1p24f));
  /* Add half a unit of the last kept place, minus one if that place is even; then truncate. */
  uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return (uint16_t)(sign | ((rounded >> 13) - (112u << 10)));
}
