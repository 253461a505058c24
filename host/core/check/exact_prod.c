#include "check.h"

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
  prod->magnitude = (rh_scaled){0.5L, 1};
}

/* An element as the bits of a double. */
static inline uint64_t bits_of(rh_type type, const void *data, uint64_t i) {
  double value = type == RH_TYPE_f16   ? (double)rh_half_to_float(((const uint16_t *)data)[i])
                 : type == RH_TYPE_f32 ? (double)((const float *)data)[i]
                                       : ((const double *)data)[i];
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Elements first .. end-1. */
static void add_block(rh_exact_prod *prod, rh_type type, const void *data, uint64_t first,
                      uint64_t end) {
  long double mantissa = 1;
  int64_t exponent = 0;
  for (uint64_t i = first; i < end; i++) {
    uint64_t bits = bits_of(type, data, i), magnitude = bits & ~SIGN, fraction = bits & FRACTION;
    int64_t field = (int64_t)(magnitude >> 52);
    prod->negatives += magnitude <= INFINITE ? bits >> 63 : 0;
    if (magnitude == 0 || magnitude >= INFINITE) {
      prod->zeros += magnitude == 0;
      prod->infinities += magnitude == INFINITE;
      prod->nans += magnitude > INFINITE;
      continue;
    }
    if (field == 0) { /* a subnormal, as if fields below 1 existed */
      int shift = __builtin_clzll(fraction) - 11;
      fraction = fraction << shift & FRACTION;
      field = 1 - shift;
    }
    prod->uneven += fraction != 0;
    uint64_t significand = ONE | fraction;
    double factor;
    memcpy(&factor, &significand, sizeof factor);
    mantissa *= (long double)factor;
    exponent += field - 1023;
  }
  multiply(&prod->magnitude, mantissa, exponent);
}

void rh_exact_prod_add(rh_exact_prod *prod, rh_type type, const void *data, uint64_t n) {
  prod->n += n;
  for (uint64_t at = 0; at < n; at += BLOCK)
    add_block(prod, type, data, at, n - at < BLOCK ? n : at + BLOCK);
}

void rh_exact_prod_merge(rh_exact_prod *prod, const rh_exact_prod *other) {
  multiply(&prod->magnitude, other->magnitude.mantissa, other->magnitude.exponent);
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
  return ldexpl(prod->magnitude.mantissa, rh_scaled_clamp(prod->magnitude.exponent));
}

long double rh_exact_prod_long(const rh_exact_prod *prod) {
  return prod->negatives % 2 ? -magnitude_of(prod) : magnitude_of(prod);
}

/* Every multiplication, at most one for an element, one for a block and one for a part, errs by
 * half of LDBL_EPSILON. */
long double rh_exact_prod_precision(const rh_exact_prod *prod) {
  return prod->uneven > 1 ? (long double)prod->n * LDBL_EPSILON : 0;
}

long double rh_exact_prod_distance(const rh_exact_prod *prod, long double x) {
  int exponent;
  long double mantissa = frexpl(x, &exponent);
  return (long double)(exponent - prod->magnitude.exponent) +
         log2l(mantissa / prod->magnitude.mantissa);
}
