#include "check.h"

void rh_fixed_add_shifted(rh_fixed *x, rh_u128 value, int shift) {
  int at = shift / 64, by = shift % 64;
  uint64_t low = (uint64_t)value, high = (uint64_t)(value >> 64);
  uint64_t parts[3] = {low << by, high << by, 0};
  if (by) {
    parts[1] |= low >> (64 - by);
    parts[2] = high >> (64 - by);
  }
  rh_u128 carry = 0;
  for (int i = 0; at + i < RH_FIXED_LIMBS && (i < 3 || carry); i++) {
    carry += (rh_u128)x->limb[at + i] + (i < 3 ? parts[i] : 0);
    x->limb[at + i] = (uint64_t)carry;
    carry >>= 64;
  }
}

void rh_fixed_add(rh_fixed *x, const rh_fixed *y) {
  rh_u128 carry = 0;
  for (int i = 0; i < RH_FIXED_LIMBS; i++) {
    carry += (rh_u128)x->limb[i] + y->limb[i];
    x->limb[i] = (uint64_t)carry;
    carry >>= 64;
  }
}

int rh_fixed_distance(rh_fixed *distance, const rh_fixed *x, const rh_fixed *y) {
  int top = RH_FIXED_LIMBS - 1;
  while (top > 0 && x->limb[top] == y->limb[top]) top--;
  int below = x->limb[top] < y->limb[top];
  const rh_fixed *large = below ? y : x, *small = below ? x : y;
  uint64_t borrow = 0;
  for (int i = 0; i < RH_FIXED_LIMBS; i++) {
    rh_u128 difference = (rh_u128)large->limb[i] - small->limb[i] - borrow;
    distance->limb[i] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  return below;
}

/* The place of the highest bit; -1 for zero. */
static int fixed_top(const rh_fixed *x) {
  for (int i = RH_FIXED_LIMBS - 1; i >= 0; i--)
    if (x->limb[i]) return 64 * i + 63 - __builtin_clzll(x->limb[i]);
  return -1;
}

/* 64 bits from place `from` on. */
static uint64_t fixed_bits(const rh_fixed *x, int from) {
  int at = from / 64, by = from % 64;
  uint64_t low = x->limb[at] >> by;
  if (by == 0 || at + 1 >= RH_FIXED_LIMBS) return low;
  return low | x->limb[at + 1] << (64 - by);
}

static int fixed_any_below(const rh_fixed *x, int place) {
  for (int i = 0; i < place / 64; i++)
    if (x->limb[i]) return 1;
  return place % 64 && x->limb[place / 64] << (64 - place % 64);
}

/* The highest bits of x, as many as the type has, none of them below its smallest subnormal.
 * ldexpl() leaves nothing to round, and the conversion gives infinity where the rounded value
 * overflows, as IEEE 754 wants. */
long double rh_fixed_rounded(const rh_fixed *x, rh_type type, int up) {
  int is_f32 = type == RH_TYPE_f32, is_f64 = type == RH_TYPE_f64;
  int digits = is_f32 ? 24 : is_f64 ? 53 : LDBL_MANT_DIG < 64 ? LDBL_MANT_DIG : 64;
  int lowest = is_f32 ? RH_FIXED_F32_LOWEST : is_f64 ? RH_FIXED_F64_LOWEST : 0;
  int cut = fixed_top(x) - digits + 1;
  if (cut < lowest) cut = lowest;
  uint64_t kept = fixed_bits(x, cut);
  if (cut > 0) {
    uint64_t half = fixed_bits(x, cut - 1) & 1;
    int rest = fixed_any_below(x, cut - 1);
    int more = up ? half || rest : half && (rest || (kept & 1));
    if (more && ++kept == 0) { /* 2^64 */
      kept = UINT64_C(1) << 63;
      cut++;
    }
  }
  long double rounded = ldexpl((long double)kept, cut - RH_FIXED_UNIT);
  if (is_f32) return (long double)(float)rounded;
  return is_f64 ? (long double)(double)rounded : rounded;
}
