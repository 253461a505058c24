/* The values of float products, as kernels/prelude/operators.cl has them: mantissa * 2^exponent.
 * Nothing overflows or underflows before the product is converted to its type.  The mantissa's
 * magnitude is in [1, 2), or the mantissa is a zero, an infinity or NaN, and the exponent means
 * nothing. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct rh_scaled_f32 {
  float mantissa;
  int64_t exponent;
} rh_scaled_f32;

typedef struct rh_scaled_f64 {
  double mantissa;
  int64_t exponent;
} rh_scaled_f64;

/* Integer operations compute it, as on devices: what the caller has set the processor to do with
 * subnormals does not matter.
 *
 * A product of mantissas is below 4, so the highest bit of its exponent says whether it is 2 or
 * more.  An infinity and NaN have the next bit too. */
#define RH_DEFINE_SCALED(type, scalar, word, fraction_bits, bias)                                  \
  static inline rh_scaled_##type rh_scaled_of_##type(scalar x) {                                   \
    const int exponent_at = fraction_bits, top = 8 * (int)sizeof(word) - 1;                        \
    word bits, one = 1, magnitude;                                                                 \
    memcpy(&bits, &x, sizeof bits);                                                                \
    magnitude = bits & ((one << top) - 1);                                                         \
    int field = (int)(magnitude >> exponent_at);                                                   \
    if (magnitude == 0 || field == 2 * (bias) + 1) return (rh_scaled_##type){x, 0};                \
    if (field == 0) {                                                                              \
      int shift = __builtin_clzll(magnitude) - (63 - exponent_at);                                 \
      magnitude <<= shift;                                                                         \
      field = 1 - shift;                                                                           \
    }                                                                                              \
    bits = (bits & one << top) | (word)(bias) << exponent_at |                                     \
           (magnitude & ((one << exponent_at) - 1));                                               \
    memcpy(&x, &bits, sizeof x);                                                                   \
    return (rh_scaled_##type){x, field - (bias)};                                                  \
  }                                                                                                \
  static inline rh_scaled_##type rh_scaled_multiply_##type(rh_scaled_##type a,                     \
                                                           rh_scaled_##type b) {                   \
    const int top = 8 * (int)sizeof(word) - 1;                                                     \
    word bits;                                                                                     \
    a.mantissa *= b.mantissa;                                                                      \
    memcpy(&bits, &a.mantissa, sizeof bits);                                                       \
    word carry = bits >> (top - 1) & ~(bits >> (top - 2)) & 1;                                     \
    bits -= carry << (fraction_bits);                                                              \
    memcpy(&a.mantissa, &bits, sizeof bits);                                                       \
    a.exponent = (int64_t)((uint64_t)a.exponent + (uint64_t)b.exponent + carry);                   \
    return a;                                                                                      \
  }
RH_DEFINE_SCALED(f32, float, uint32_t, 23, 127)
RH_DEFINE_SCALED(f64, double, uint64_t, 52, 1023)

/* The exponent within what ldexp() takes: beyond these nothing but 0 and infinity is left. */
static inline int rh_scaled_clamp(int64_t exponent) {
  const int beyond = 40000;
  return exponent > beyond ? beyond : exponent < -beyond ? -beyond : (int)exponent;
}

/* A number that is normal is exact, and needs no call. */
static inline double rh_scaled_to(double mantissa, int64_t exponent) {
  const int64_t bias = 1023;
  if (exponent <= -bias || exponent > bias) return ldexp(mantissa, rh_scaled_clamp(exponent));
  uint64_t bits = (uint64_t)(exponent + bias) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return mantissa * power;
}

/* The one rounding of the conversion; in double for f32, whose subnormals are normal there. */
static inline float rh_scaled_float(rh_scaled_f32 x) {
  return (float)rh_scaled_to((double)x.mantissa, x.exponent);
}
static inline double rh_scaled_double(rh_scaled_f64 x) {
  return rh_scaled_to(x.mantissa, x.exponent);
}
