#include "exact.h"
#include "../base/vocabulary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Four sets of bins in turn: neighbours often have the same exponent, and adding to the bin that
 * was just written waits for that store. */
enum { N_SETS = 4 };

/* The number of elements between two checks for infinities and NaNs; a block is still in cache
 * when it is scanned again. */
enum { BLOCK = 1 << 14 };

/* A 64-bit bin can take this many 24-bit significands, with a margin. */
#define FOLD_AFTER (UINT64_C(1) << 38)

typedef struct layout {
  int digits;        /* explicit bits of the significand */
  uint32_t specials; /* the exponent field of infinities and NaNs */
  int lowest;        /* the place of the smallest subnormal */
} layout;

struct rh_exact_bins {
  rh_type type;
  layout layout;
  uint64_t pending; /* elements in the bins */
  rh_exact_sum sum; /* folded from the bins before they could overflow; counts */
  union {
    uint64_t narrow[512][N_SETS]; /* f16 uses the first 64 */
    rh_u128 wide[4096][N_SETS];
  } by; /* sign and exponent field */
};

static layout layout_of(rh_type type) {
  switch (type) {
  case RH_TYPE_f16: return (layout){10, 0x1f, RH_FIXED_F16_LOWEST};
  case RH_TYPE_f32: return (layout){23, 0xff, RH_FIXED_F32_LOWEST};
  default: return (layout){52, 0x7ff, RH_FIXED_F64_LOWEST};
  }
}

/* ---- Bins ---- */

rh_exact_bins *rh_exact_bins_create(rh_type type) {
  rh_exact_bins *bins = calloc(1, sizeof *bins);
  if (!bins) return NULL;
  bins->type = type;
  bins->layout = layout_of(type);
  return bins;
}

void rh_exact_bins_destroy(rh_exact_bins *bins) {
  free(bins);
}

/* The significand has its implicit bit unless the exponent field is 0. */
static inline void add_f16(rh_exact_bins *bins, int set, uint16_t x) {
  unsigned field = x >> 10;
  bins->by.narrow[field][set] += (x & 0x3ffu) | (unsigned)((field & 0x1f) != 0) << 10;
}

static inline void add_f32(rh_exact_bins *bins, int set, uint32_t x) {
  uint32_t field = x >> 23;
  bins->by.narrow[field][set] += (x & 0x7fffffu) | (uint32_t)((field & 0xff) != 0) << 23;
}

static inline void add_f64(rh_exact_bins *bins, int set, uint64_t x) {
  uint64_t field = x >> 52;
  bins->by.wide[field][set] += (x & ((UINT64_C(1) << 52) - 1)) | (uint64_t)((field & 0x7ff) != 0)
                                                                     << 52;
}

/* memcpy reads elements as bits without violating C's aliasing rules. */
#define ADD_ALL(add, word)                                                                         \
  do {                                                                                             \
    word x[N_SETS];                                                                                \
    const unsigned char *from = data, *end = from + n * sizeof(word);                              \
    for (; (size_t)(end - from) >= sizeof x; from += sizeof x) {                                   \
      memcpy(x, from, sizeof x);                                                                   \
      add(bins, 0, x[0]), add(bins, 1, x[1]), add(bins, 2, x[2]), add(bins, 3, x[3]);              \
    }                                                                                              \
    for (int set = 0; from < end; from += sizeof(word), set++) {                                   \
      memcpy(x, from, sizeof(word));                                                               \
      add(bins, set, x[0]);                                                                        \
    }                                                                                              \
  } while (0)

static void add_all(rh_exact_bins *bins, const void *data, uint64_t n) {
  switch (bins->type) {
  case RH_TYPE_f16: ADD_ALL(add_f16, uint16_t); break;
  case RH_TYPE_f32: ADD_ALL(add_f32, uint32_t); break;
  default: ADD_ALL(add_f64, uint64_t); break;
  }
}

/* The sum in one bin, over all sets. */
static rh_u128 bin_total(const rh_exact_bins *bins, uint32_t field) {
  rh_u128 total = 0;
  for (int set = 0; set < N_SETS; set++)
    total += bins->type == RH_TYPE_f64 ? bins->by.wide[field][set] : bins->by.narrow[field][set];
  return total;
}

static void bin_clear(rh_exact_bins *bins, uint32_t field) {
  if (bins->type == RH_TYPE_f64)
    memset(bins->by.wide[field], 0, sizeof bins->by.wide[field]);
  else
    memset(bins->by.narrow[field], 0, sizeof bins->by.narrow[field]);
}

static uint64_t element_bits(rh_type type, const unsigned char *data, uint64_t i) {
  uint16_t half;
  uint32_t single;
  uint64_t bits;
  switch (type) {
  case RH_TYPE_f16: memcpy(&half, data + 2 * i, sizeof half); return half;
  case RH_TYPE_f32: memcpy(&single, data + 4 * i, sizeof single); return single;
  default: memcpy(&bits, data + 8 * i, sizeof bits); return bits;
  }
}

static void count_specials(rh_exact_bins *bins, const unsigned char *data, uint64_t n) {
  int digits = bins->layout.digits;
  uint64_t plus = (uint64_t)bins->layout.specials << digits;
  uint64_t sign = ((uint64_t)bins->layout.specials + 1) << digits;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t bits = element_bits(bins->type, data, i), magnitude = bits & (sign - 1);
    if (magnitude > plus)
      bins->sum.nans++;
    else if (bits == plus)
      bins->sum.plus_infinities++;
    else if (magnitude == plus)
      bins->sum.minus_infinities++;
  }
}

/* Other elements than -0 are mostly the first. */
static int has_others(const rh_exact_bins *bins, const unsigned char *data, uint64_t n) {
  uint64_t minus_zero = ((uint64_t)bins->layout.specials + 1) << bins->layout.digits;
  for (uint64_t i = 0; i < n; i++)
    if (element_bits(bins->type, data, i) != minus_zero) return 1;
  return 0;
}

/* Folds the bins into their sum. */
static void fold_bins(rh_exact_bins *bins) {
  uint32_t n_fields = 2 * (bins->layout.specials + 1);
  for (uint32_t field = 0; field < n_fields; field++) {
    rh_u128 total = bin_total(bins, field);
    if (total == 0) continue;
    uint32_t exponent = field & bins->layout.specials;
    int shift = bins->layout.lowest + (exponent > 0 ? (int)exponent - 1 : 0);
    rh_fixed_add_shifted(field < n_fields / 2 ? &bins->sum.positive : &bins->sum.negative, total,
                         shift);
    bin_clear(bins, field);
  }
  bins->pending = 0;
}

void rh_exact_bins_add(rh_exact_bins *bins, const void *data, uint64_t n) {
  const unsigned char *from = data;
  uint32_t plus = bins->layout.specials, minus = 2 * plus + 1;
  while (n > 0) {
    uint64_t block = n < BLOCK ? n : BLOCK;
    if (bins->pending > FOLD_AFTER) fold_bins(bins);
    add_all(bins, from, block);
    if (bin_total(bins, plus) != 0 || bin_total(bins, minus) != 0) {
      count_specials(bins, from, block);
      bin_clear(bins, plus);
      bin_clear(bins, minus);
    }
    if (!bins->sum.has_others) bins->sum.has_others = (uint64_t)has_others(bins, from, block);
    bins->pending += block;
    bins->sum.n += block;
    from += block * rh_type_size(bins->type);
    n -= block;
  }
}

void rh_exact_bins_fold(rh_exact_bins *bins, rh_exact_sum *sum) {
  fold_bins(bins);
  rh_exact_sum_merge(sum, &bins->sum);
  memset(&bins->sum, 0, sizeof bins->sum);
}

/* ---- Sums ---- */

void rh_exact_sum_merge(rh_exact_sum *sum, const rh_exact_sum *other) {
  rh_fixed_add(&sum->positive, &other->positive);
  rh_fixed_add(&sum->negative, &other->negative);
  sum->n += other->n;
  sum->nans += other->nans;
  sum->plus_infinities += other->plus_infinities;
  sum->minus_infinities += other->minus_infinities;
  sum->has_others |= other->has_others;
}

void rh_exact_sum_of_magnitudes(rh_exact_sum *sum) {
  rh_fixed_add(&sum->positive, &sum->negative);
  memset(&sum->negative, 0, sizeof sum->negative);
  sum->plus_infinities += sum->minus_infinities;
  sum->minus_infinities = 0;
  sum->has_others = 1;
}

/* 0 where S is finite, else 1 and S. */
static int sum_is_special(const rh_exact_sum *sum, float *value) {
  int plus = sum->plus_infinities > 0, minus = sum->minus_infinities > 0;
  if (!sum->nans && !plus && !minus) return 0;
  *value = sum->nans || (plus && minus) ? NAN : plus ? INFINITY : -INFINITY;
  return 1;
}

/* If all elements are -0, so is S.  *magnitude = |S|. */
static int is_negative(const rh_exact_sum *sum, rh_fixed *magnitude) {
  int is_below = rh_fixed_distance(magnitude, &sum->positive, &sum->negative);
  return is_below || (sum->n > 0 && !sum->has_others);
}

static int abs_is_special(const rh_exact_sum *sum, float *value) {
  if (!sum->nans && !sum->plus_infinities && !sum->minus_infinities) return 0;
  *value = sum->nans ? NAN : INFINITY;
  return 1;
}

double rh_exact_sum_double(const rh_exact_sum *sum) {
  float special;
  if (sum_is_special(sum, &special)) return special;
  rh_fixed magnitude;
  int negative = is_negative(sum, &magnitude);
  return negative ? -rh_fixed_double(&magnitude) : rh_fixed_double(&magnitude);
}

float rh_exact_sum_float(const rh_exact_sum *sum) {
  float special;
  if (sum_is_special(sum, &special)) return special;
  rh_fixed magnitude;
  int negative = is_negative(sum, &magnitude);
  return negative ? -rh_fixed_float(&magnitude) : rh_fixed_float(&magnitude);
}

long double rh_exact_sum_long(const rh_exact_sum *sum) {
  float special;
  if (sum_is_special(sum, &special)) return special;
  rh_fixed magnitude;
  int negative = rh_fixed_distance(&magnitude, &sum->positive, &sum->negative);
  return negative ? -rh_fixed_long(&magnitude, 0) : rh_fixed_long(&magnitude, 0);
}

double rh_exact_abs_double(const rh_exact_sum *sum) {
  float special;
  if (abs_is_special(sum, &special)) return special;
  rh_fixed total = sum->positive;
  rh_fixed_add(&total, &sum->negative);
  return rh_fixed_double(&total);
}

float rh_exact_abs_float(const rh_exact_sum *sum) {
  float special;
  if (abs_is_special(sum, &special)) return special;
  rh_fixed total = sum->positive;
  rh_fixed_add(&total, &sum->negative);
  return rh_fixed_float(&total);
}

long double rh_exact_abs_up(const rh_exact_sum *sum) {
  rh_fixed total = sum->positive;
  rh_fixed_add(&total, &sum->negative);
  return rh_fixed_long(&total, 1);
}

long double rh_exact_sum_error(const rh_exact_sum *sum, double result) {
  uint64_t bits;
  memcpy(&bits, &result, sizeof bits);
  int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
  rh_exact_sum difference = *sum;
  rh_fixed *side = bits >> 63 ? &difference.positive : &difference.negative; /* S - result */
  rh_fixed_add_shifted(side, significand, RH_FIXED_F64_LOWEST + (exponent > 0 ? exponent - 1 : 0));
  rh_fixed distance;
  rh_fixed_distance(&distance, &difference.positive, &difference.negative);
  return rh_fixed_long(&distance, 1);
}
