/* Order keys, as in host/core/operation/ops.c: floats become integers of the same order, and every
 * NaN the key that wins; -0 is below +0, but equals it for arg*.  The bits of floats are compared
 * as they are.  Those below 0 come last as unsigned numbers, the most negative one at the end; as
 * signed numbers, those from 0 on come last, the largest one at the end.  NaNs lie beyond both
 * ends. */
#include "order.h"

#include <string.h>

static int is_float(rh_type type) { return type >= RH_TYPE_f16 && type <= RH_TYPE_f64; }
static int is_signed(rh_type type) { return type <= RH_TYPE_i64 && type % 2 == 1; }
static int is_least(uint32_t op) { return op == RH_OP_min || op == RH_OP_argmin; }
static int is_magnitude(uint32_t op) { return op == RH_OP_amax || op == RH_OP_argamax; }

/* The sign bit, and the bits of infinity. */
static uint64_t sign_of(rh_type type) {
  return type == RH_TYPE_f16 ? 0x8000u : type == RH_TYPE_f32 ? 0x80000000u : (uint64_t)1 << 63;
}
static uint64_t infinity_of(rh_type type) {
  return type == RH_TYPE_f16 ? 0x7c00u : type == RH_TYPE_f32 ? 0x7f800000u : (uint64_t)0x7ff << 52;
}
static uint64_t key_of_nan(uint32_t op, rh_type type) {
  int64_t most = type == RH_TYPE_f64 ? INT64_MAX : INT32_MAX;
  return (uint64_t)(is_least(op) ? -most - 1 : most);
}

static uint64_t unsign(uint64_t x) { return (int64_t)x < 0 ? 0 - x : x; }

static uint64_t integer_key(uint32_t op, rh_type type, const rh_native_range *range) {
  if (is_least(op)) return range->least;
  if (!is_magnitude(op) || !is_signed(type)) return range->most;
  uint64_t least = unsign(range->least), most = unsign(range->most);
  return least > most ? least : most;
}

/* Avoids subnormal floats: a thread may have set its processor to treat them as 0. */
float rh_native_half(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu, rest;
  float x = (float)magnitude * 0x1p-24f;
  if (magnitude >= 0x7c00u) rest = magnitude << 13 | 0x7f800000u;
  else if (magnitude >= 0x400u) rest = (magnitude << 13) + (112u << 23);
  else memcpy(&rest, &x, sizeof rest);
  rest |= sign;
  memcpy(&x, &rest, sizeof x);
  return x;
}

/* An f16's key is that of the same number as f32. */
static uint64_t widen(rh_type type, uint64_t bits) {
  if (type != RH_TYPE_f16) return bits;
  float x = rh_native_half((uint16_t)bits);
  uint32_t wide;
  memcpy(&wide, &x, sizeof wide);
  return wide;
}

/* The inverse, for a number that was a half. */
static uint64_t narrow(rh_type type, uint64_t bits) {
  if (type != RH_TYPE_f16) return bits;
  uint64_t sign = bits >> 16 & 0x8000u, exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
  if (exponent == 0xff) return sign | 0x7c00u;
  if (exponent > 112) return sign | (exponent - 112) << 10 | fraction >> 13;
  return exponent < 103 ? sign : sign | (fraction | 0x800000u) >> (126 - exponent);
}

/* Flips the magnitude of negative numbers; its own inverse. */
static uint64_t flip(rh_type type, uint64_t x) {
  if (type == RH_TYPE_f64) return (int64_t)x < 0 ? x ^ INT64_MAX : x;
  return (int32_t)x < 0 ? (uint32_t)x ^ INT32_MAX : (uint32_t)x;
}

static uint64_t float_key(uint32_t op, rh_type type, const rh_native_range *range) {
  uint64_t sign = sign_of(type), infinity = infinity_of(type), bits;
  int any_below = range->most >= sign, any_above = range->signed_most >= 0;
  uint64_t lowest = any_below ? range->most : range->least;
  uint64_t highest = any_above ? (uint64_t)range->signed_most : range->least;
  if ((any_above && highest > infinity) || (any_below && lowest > (sign | infinity)))
    return key_of_nan(op, type);
  if (is_magnitude(op)) {
    uint64_t below = any_below ? lowest - sign : 0, above = any_above ? highest : 0;
    bits = below > above ? below : above;
  } else {
    bits = is_least(op) ? lowest : highest;
    if ((op == RH_OP_argmin || op == RH_OP_argmax) && bits == sign) bits = 0;
  }
  return flip(type, widen(type, bits));
}

uint64_t rh_native_key(uint32_t op, rh_type type, const rh_native_range *range) {
  return is_float(type) ? float_key(op, type, range) : integer_key(op, type, range);
}

static uint64_t bits_at(rh_type type, const void *elements, uint64_t k) {
  typedef uint16_t half __attribute__((may_alias));
  typedef uint32_t single __attribute__((may_alias));
  typedef uint64_t twice __attribute__((may_alias));
  if (type == RH_TYPE_f16) return ((const half *)elements)[k];
  if (type == RH_TYPE_f32) return ((const single *)elements)[k];
  return ((const twice *)elements)[k];
}

static uint64_t first_nan(rh_type type, const void *elements, uint64_t n) {
  uint64_t magnitude = sign_of(type) - 1, infinity = infinity_of(type), k = 0;
  while (k < n && (bits_at(type, elements, k) & magnitude) <= infinity) k++;
  return k;
}

uint64_t rh_native_locate(const rh_native_lanes *lanes, uint32_t op, rh_type type,
                          const void *elements, uint64_t n, uint64_t key) {
  if (!is_float(type))
    return lanes->find[type](elements, n, key, is_magnitude(op) && is_signed(type) ? 0 - key : key);
  uint64_t mask = type == RH_TYPE_f64 ? UINT64_MAX : UINT32_MAX;
  if (((key ^ key_of_nan(op, type)) & mask) == 0) return first_nan(type, elements, n);
  uint64_t bits = narrow(type, flip(type, key));
  int any_sign = bits == 0 || is_magnitude(op);
  return lanes->find[type](elements, n, bits, any_sign ? bits | sign_of(type) : bits);
}
