#include "data.h"

#include <float.h>

/* ---- Random numbers: a hashed counter, so that any element can be computed independently
 * ---------------- */

static inline uint64_t random_bits(const rh_recipe *r, uint64_t i) {
  return rh_random_mix(r->key + (i + 1) * rh_random_step);
}

/* Further bits if 64 are not enough. */
static inline uint64_t more_bits(uint64_t bits) { return rh_random_mix(bits + rh_random_step); }

/* 0 to range-1; range below 2^32. */
static inline uint64_t below(uint64_t bits, uint64_t range) { return (bits >> 32) * range >> 32; }

/* In [0,1), with only as many digits as the type has, because rounding up would give 1. */
static inline double unit(const rh_recipe *r, uint64_t bits) {
  return (double)(bits >> (64 - r->digits)) * r->ulp;
}

/* The smallest s for which elements 0 to n-1 lie in at most 2^limit blocks of 2^s. */
static inline unsigned block_shift(uint64_t n, unsigned limit) {
  unsigned width = n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
  return width > limit ? width - limit : 0;
}

/* Is i the index that the random bits choose in its block? */
static inline int is_chosen(uint64_t i, unsigned shift, uint64_t bits) {
  uint64_t mask = ((uint64_t)1 << shift) - 1;
  return (i & mask) == (bits & mask);
}

static inline int is_negative(uint64_t bits) { return (int)(bits >> 63); }

/* ---- The kinds ------------------------------------------------------------------------------- */

/* A kind whose elements are one expression, of the recipe r and the index i. */
#define DEFINE_KIND(name, real, integer)                                                           \
  static double name##_real(const rh_recipe *r, uint64_t i) {                                      \
    (void)r, (void)i;                                                                              \
    return real;                                                                                   \
  }                                                                                                \
  static uint64_t name##_integer(const rh_recipe *r, uint64_t i) {                                 \
    (void)r, (void)i;                                                                              \
    return integer;                                                                                \
  }

DEFINE_KIND(uniform, unit(r, random_bits(r, i)), random_bits(r, i))
DEFINE_KIND(equal, 1, 1)
DEFINE_KIND(ramp, (double)(i % 1000), i % 1000)
DEFINE_KIND(onehot, i == r->place, i == r->place)
DEFINE_KIND(zeros, is_negative(random_bits(r, i)) ? -0.0 : 0.0, 0)

/* From the largest exactly representable integers down to 0, in steps that suit n. */
DEFINE_KIND(descending, (double)((r->n - 1 - i) >> block_shift(r->n, r->digits)),
            (r->n - 1 - i) >> block_shift(r->n, r->bits - r->is_signed))

/* Pairs x and rest-x, so that the sum is that of the rests.  An unpaired last element is a rest. */
static double cancel_real(const rh_recipe *r, uint64_t i) {
  uint64_t bits = random_bits(r, i / 2);
  /* a separate statement, because a*b+c in one may be fused */
  double spread = 1000 * unit(r, bits);
  double x = 1000 + spread, rest = unit(r, more_bits(bits)) - 0.5;
  if (i % 2) return rest - x;
  return i + 1 == r->n ? rest : x;
}
static uint64_t cancel_integer(const rh_recipe *r, uint64_t i) {
  uint64_t bits = random_bits(r, i / 2);
  uint64_t x = r->bits == 8 ? 10 + below(bits, 100) : 1000 + below(bits, 1000);
  return i % 2 ? 0 - x : x;
}

/* Less than the largest number, so that the others can be added to it. */
static double huge_real(const rh_recipe *r, uint64_t i) {
  return i == r->place ? r->largest * 0.999 : unit(r, random_bits(r, i));
}
static uint64_t huge_integer(const rh_recipe *r, uint64_t i) {
  uint64_t small = below(random_bits(r, i), 8);
  return i == r->place ? r->largest_integer - small : small;
}

static double subnormal_real(const rh_recipe *r, uint64_t i) {
  uint64_t bits = random_bits(r, i), steps = bits & (((uint64_t)1 << (r->digits - 1)) - 1);
  double x = (double)(steps ? steps : 1) * r->smallest;
  return is_negative(bits) ? -x : x;
}
static uint64_t subnormal_integer(const rh_recipe *r, uint64_t i) {
  return random_bits(r, i) >> 63;
}

/* The seed chooses at least one of the first, middle and last index, and another one.  NaNs have
 * either sign. */
static double nan_real(const rh_recipe *r, uint64_t i) {
  uint64_t chosen = 1 + below(r->coin, 15);
  int is_nan = (chosen & 1 && i == 0) || (chosen & 2 && i == r->n / 2) ||
               (chosen & 4 && i == r->n - 1) || (chosen & 8 && i == r->place);
  uint64_t bits = random_bits(r, i);
  if (is_nan) return copysign(NAN, is_negative(bits) ? -1 : 1);
  return unit(r, bits);
}

/* Small integers times one power of two: every partial sum, in any order, is exact as long as the
 * sum of magnitudes is at most 2^24 such units, for f16 too, which is summed in f32.  Where -8..8
 * would be too much, one element in each of at most 2^24 blocks is not 0.  The power keeps even f16
 * in its normal range. */
static double hash_real(const rh_recipe *r, uint64_t i) {
  double scale = (double)((uint64_t)1 << below(r->coin, 13)) / 256;
  if (r->digits > 24 || r->n <= (uint64_t)1 << 21)
    return scale * ((double)below(random_bits(r, i), 17) - 8);
  unsigned shift = block_shift(r->n, 24);
  uint64_t bits = random_bits(r, i >> shift);
  if (!is_chosen(i, shift, bits)) return 0;
  return is_negative(bits) ? -scale : scale;
}

/* +-1, and for floats some adjacent pairs of 2 and 1/2: at most 64 of them, so that the product of
 * any elements, in any order, is an exact normal number. */
static double units_real(const rh_recipe *r, uint64_t i) {
  double sign = is_negative(random_bits(r, i)) ? -1 : 1;
  uint64_t pair = i / 2, pairs = r->n / 2;
  unsigned shift = block_shift(pairs, 6);
  if (shift < 2) shift = 2; /* most elements remain +-1 in short arrays, too */
  uint64_t bits = more_bits(random_bits(r, pair >> shift));
  if (pair >= pairs || !is_chosen(pair, shift, bits)) return sign;
  return (i % 2 != 0) == is_negative(bits) ? sign * 2 : sign / 2;
}
static uint64_t units_integer(const rh_recipe *r, uint64_t i) {
  return is_negative(random_bits(r, i)) ? 0 - (uint64_t)1 : 1;
}

/* Powers of two of either sign: large ones in the first half, and in the second half, from the end
 * on, their inverses.  Products of some elements leave the range of the type; that of all is 1 or
 * -1. */
static double swing_real(const rh_recipe *r, uint64_t i) {
  uint64_t mirror = r->n - 1 - i, pair = i < mirror ? i : mirror;
  double sign = is_negative(random_bits(r, i)) ? -1 : 1;
  int most = ilogb(r->largest) - 1; /* so that its inverse is normal */
  int exponent = 1 + (int)below(more_bits(random_bits(r, pair)), (uint64_t)most);
  if (i == mirror) return sign;
  return ldexp(sign, i < mirror ? exponent : -exponent);
}

/* One +inf; every other seed adds a -inf, so that the sum is NaN. */
static double infs_real(const rh_recipe *r, uint64_t i) {
  if (i == r->place) return (double)INFINITY;
  if (i == r->other_place && is_negative(r->coin)) return -(double)INFINITY;
  return unit(r, random_bits(r, i));
}

/* Exponents -20 to 19, limited to f16's range.  The uniform significand is built from bits,
 * because the last digit of exp2() differs between C libraries. */
static double loguniform_real(const rh_recipe *r, uint64_t i) {
  uint64_t bits = random_bits(r, i), span = r->digits == 11 ? 12 : 20, as_bits;
  uint64_t exponent = 1023 - span + below(more_bits(bits), 2 * span);
  as_bits = (bits & (uint64_t)1 << 63) | exponent << 52 | (bits & (((uint64_t)1 << 52) - 1));
  double x;
  memcpy(&x, &as_bits, sizeof x);
  return x;
}
/* A random number of bits, from 1 to all but the sign. */
static uint64_t loguniform_integer(const rh_recipe *r, uint64_t i) {
  uint64_t bits = random_bits(r, i), more = more_bits(bits);
  uint64_t x = (bits | (uint64_t)1 << 63) >> (63 - below(more, r->bits - r->is_signed));
  return r->is_signed && (more & 1) ? 0 - x : x;
}

/* The bounds of the type, and two random numbers.  They expose partial sums that overflow, and
 * wrong magnitudes of the least number. */
DEFINE_KIND(least, -r->largest, r->is_signed ? r->largest_integer + 1 : 0)
DEFINE_KIND(greatest, r->largest, r->largest_integer)
DEFINE_KIND(ends, is_negative(random_bits(r, i)) ? -r->largest : r->largest,
            is_negative(random_bits(r, i)) ? least_integer(r, i) : r->largest_integer)
DEFINE_KIND(two, loguniform_real(r, r->n + (uint64_t)is_negative(random_bits(r, i))),
            uniform_integer(r, r->n + (uint64_t)is_negative(random_bits(r, i))))

/* ---- The table ------------------------------------------------------------------------------- */

/* X(name, function for floats, function for integers) */
#define KINDS(X)                                                                                   \
  X(uniform, uniform_real, uniform_integer)                                                        \
  X(equal, equal_real, equal_integer)                                                              \
  X(ramp, ramp_real, ramp_integer)                                                                 \
  X(cancel, cancel_real, cancel_integer)                                                           \
  X(huge, huge_real, huge_integer)                                                                 \
  X(subnormal, subnormal_real, subnormal_integer)                                                  \
  X(nan, nan_real, uniform_integer)                                                                \
  X(hash, hash_real, uniform_integer)                                                              \
  X(onehot, onehot_real, onehot_integer)                                                           \
  X(units, units_real, units_integer)                                                              \
  X(swing, swing_real, units_integer)                                                              \
  X(zeros, zeros_real, zeros_integer)                                                              \
  X(infs, infs_real, uniform_integer)                                                              \
  X(descending, descending_real, descending_integer)                                               \
  X(loguniform, loguniform_real, loguniform_integer)                                               \
  X(least, least_real, least_integer)                                                              \
  X(greatest, greatest_real, greatest_integer)                                                     \
  X(ends, ends_real, ends_integer)                                                                 \
  X(two, two_real, two_integer)

#define X(name, real, integer) {#name, real, integer},
static const rh_kind kinds[] = {KINDS(X)};
#undef X

static const char *const names[] = {
#define X(name, real, integer) #name,
    KINDS(X)
#undef X
        NULL};

const char *const *rh_array_kinds(void) { return names; }

const rh_kind *rh_kind_find(const char *name) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kinds[k].name, name) == 0) return &kinds[k];
  return NULL;
}

rh_recipe rh_recipe_make(uint64_t seed, rh_type type, uint64_t n) {
  static const struct {
    uint32_t digits;
    double largest, smallest;
  } floats[RH_N_TYPES + 1] = {[RH_TYPE_f16] = {11, 65504, 0x1p-24},
                              [RH_TYPE_f32] = {24, FLT_MAX, 0x1p-149},
                              [RH_TYPE_f64] = {53, DBL_MAX, 0x1p-1074}};
  /* The key includes the type, so that arrays of different types are not rounded copies of each
   * other. */
  rh_recipe r = {.n = n,
                 .key = rh_random_mix(rh_random_mix(seed + rh_random_step) + type),
                 .bits = rh_type_size(type) * 8};
  r.is_signed = !rh_type_is_float(type) && rh_type_is_signed(type);
  r.largest_integer = UINT64_MAX >> (64 - r.bits + r.is_signed);
  r.digits = floats[type].digits;
  r.largest = floats[type].largest;
  r.smallest = floats[type].smallest;
  if (r.digits) r.ulp = 1.0 / (double)((uint64_t)1 << r.digits);
  /* Independent of the elements' stream. */
  uint64_t once = rh_random_mix(~r.key);
  r.place = once % n;
  r.other_place = n > 1 ? (r.place + 1 + more_bits(once) % (n - 1)) % n : 0;
  r.coin = more_bits(once ^ rh_random_step);
  return r;
}
