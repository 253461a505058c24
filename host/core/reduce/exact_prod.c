#include "exact_prod.h"
#include "../base/half.h"
#include "../base/vocabulary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Elements between two times that the exponent is taken out of the product of significands: those
 * lie in [1, 2), and even a long double that is a double holds 2^1000. */
enum { BLOCK = 1000 };

#define SIGN     (UINT64_C(1) << 63)
#define ONE      UINT64_C(0x3ff0000000000000)
#define INFINITE UINT64_C(0x7ff0000000000000)
#define FRACTION ((UINT64_C(1) << 52) - 1)

static void multiply(rh_scaled *x, long double mantissa, int64_t exponent) {
  int more;
  x->mantissa = frexpl(x->mantissa * mantissa, &more);
  x->exponent += exponent + more;
}

void rh_exact_prod_init(rh_exact_prod *prod) {
  memset(prod, 0, sizeof *prod);
  prod->large = prod->small = (rh_scaled){0.5L, 1};
}

/* An element as the bits of a double. */
static inline uint64_t bits_of(rh_type type, const unsigned char *data, uint64_t i) {
  uint16_t half;
  float single;
  double value;
  uint64_t bits;
  switch (type) {
  case RH_TYPE_f16:
    memcpy(&half, data + 2 * i, sizeof half);
    value = (double)rh_half_to_float(half);
    break;
  case RH_TYPE_f32:
    memcpy(&single, data + 4 * i, sizeof single);
    value = (double)single;
    break;
  default: memcpy(&value, data + 8 * i, sizeof value);
  }
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void count_special(rh_exact_prod *prod, uint64_t magnitude) {
  if (magnitude == 0)
    prod->zeros++;
  else if (magnitude == INFINITE)
    prod->infinities++;
  else
    prod->nans++;
}

/* A subnormal as a fraction and an exponent field below 1, as if that existed. */
static void widen(uint64_t *fraction, int64_t *field) {
  int shift = __builtin_clzll(*fraction) - 11;
  *fraction = *fraction << shift & FRACTION;
  *field = 1 - shift;
}

static void add_block(rh_exact_prod *prod, rh_type type, const unsigned char *data, uint64_t n) {
  long double large = 1, small = 1;
  int64_t large_exponent = 0, small_exponent = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t bits = bits_of(type, data, i), magnitude = bits & ~SIGN, fraction = bits & FRACTION;
    int64_t field = (int64_t)(magnitude >> 52);
    prod->negatives += magnitude <= INFINITE ? bits >> 63 : 0;
    if (magnitude == 0 || magnitude >= INFINITE) {
      count_special(prod, magnitude);
      continue;
    }
    if (field == 0) widen(&fraction, &field);
    prod->uneven += fraction != 0;
    /* Both products are multiplied, one of them by 1: cheaper than a branch that is mispredicted.
     */
    uint64_t mask = (uint64_t)0 - (uint64_t)(field >= 1023);
    large *= (long double)double_of(ONE | (fraction & mask));
    small *= (long double)double_of(ONE | (fraction & ~mask));
    large_exponent += (field - 1023) & (int64_t)mask;
    small_exponent += (field - 1023) & (int64_t)~mask;
  }
  multiply(&prod->large, large, large_exponent);
  multiply(&prod->small, small, small_exponent);
}

void rh_exact_prod_add(rh_exact_prod *prod, rh_type type, const void *data, uint64_t n) {
  const unsigned char *from = data;
  prod->n += n;
  while (n > 0) {
    uint64_t block = n < BLOCK ? n : BLOCK;
    add_block(prod, type, from, block);
    from += block * rh_type_size(type);
    n -= block;
  }
}

void rh_exact_prod_merge(rh_exact_prod *prod, const rh_exact_prod *other) {
  multiply(&prod->large, other->large.mantissa, other->large.exponent);
  multiply(&prod->small, other->small.mantissa, other->small.exponent);
  prod->n += other->n;
  prod->zeros += other->zeros;
  prod->nans += other->nans;
  prod->infinities += other->infinities;
  prod->negatives += other->negatives;
  prod->uneven += other->uneven;
}

static long double magnitude_of(const rh_exact_prod *prod) {
  if (prod->nans || (prod->zeros && prod->infinities)) return NAN;
  if (prod->infinities) return INFINITY;
  if (prod->zeros) return 0;
  rh_scaled all = prod->large;
  multiply(&all, prod->small.mantissa, prod->small.exponent);
  /* Beyond these nothing but 0 and infinity is left. */
  if (all.exponent > 40000) all.exponent = 40000;
  if (all.exponent < -40000) all.exponent = -40000;
  return ldexpl(all.mantissa, (int)all.exponent);
}

long double rh_exact_prod_long(const rh_exact_prod *prod) {
  return prod->negatives % 2 ? -magnitude_of(prod) : magnitude_of(prod);
}

double rh_exact_prod_double(const rh_exact_prod *prod) {
  return (double)rh_exact_prod_long(prod);
}

float rh_exact_prod_float(const rh_exact_prod *prod) {
  return (float)rh_exact_prod_long(prod);
}

/* Every multiplication, at most one for an element, one for a block and two for a part, errs by
 * half of LDBL_EPSILON. */
long double rh_exact_prod_precision(const rh_exact_prod *prod) {
  return prod->uneven > 1 ? (long double)prod->n * LDBL_EPSILON : 0;
}

/* log2 of the magnitude, moved by what its own error, log2l's and the additions' can be. */
static long double log2_up(const rh_exact_prod *prod, const rh_scaled *x, int sign) {
  if (prod->uneven == 0) return (long double)(sign * (x->exponent - 1)); /* the mantissa is 0.5 */
  long double log = (long double)sign * ((long double)x->exponent + log2l(x->mantissa));
  return log + ((long double)prod->n + 4 * (1 + fabsl(log))) * 4 * LDBL_EPSILON;
}

long double rh_exact_prod_up(const rh_exact_prod *prod) {
  return log2_up(prod, &prod->large, 1);
}

long double rh_exact_prod_down(const rh_exact_prod *prod) {
  return log2_up(prod, &prod->small, -1);
}

long double rh_exact_prod_away(const rh_exact_prod *prod, double result) {
  rh_scaled all = prod->large;
  int exponent;
  long double mantissa = frexpl(fabsl((long double)result), &exponent);
  multiply(&all, prod->small.mantissa, prod->small.exponent);
  long double away = fabsl((long double)(exponent - all.exponent) + log2l(mantissa / all.mantissa));
  if (prod->uneven == 0) return away;
  away -= ((long double)prod->n + 4 * (1 + away)) * 4 * LDBL_EPSILON;
  return away > 0 ? away : 0;
}
