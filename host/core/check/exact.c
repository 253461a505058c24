#include "check.h"

#include <redhost/exact.h>

/* Elements that are still in a cache when they are added again. */
enum { BLOCK = RH_EXACT_BLOCK };

struct rh_exact_bins {
  rh_accumulator sum, magnitudes; /* of asum, only the former */
};

rh_exact_bins *rh_exact_bins_create(rh_type type, int magnitudes) {
  rh_exact_bins *bins = malloc(sizeof *bins);
  if (!bins) return NULL;
  rh_accumulator_init(&bins->sum, type, magnitudes, 0);
  rh_accumulator_init(&bins->magnitudes, type, 1, 0);
  return bins;
}

void rh_exact_bins_destroy(rh_exact_bins *bins) { free(bins); }

void rh_exact_bins_add(rh_exact_bins *bins, const void *data, uint64_t n) {
  const unsigned char *from = data;
  for (uint64_t block; n > 0; n -= block) {
    block = n < BLOCK ? n : BLOCK;
    rh_accumulator_add(&bins->sum, from, block);
    if (!bins->sum.magnitudes) rh_accumulator_add(&bins->magnitudes, from, block);
    from += block * rh_type_size(bins->sum.type);
  }
}

/* *to = half of the words, whose unit has a place above the lowest. */
static void halve(rh_fixed *to, const uint64_t *words) {
  *to = (rh_fixed){0};
  for (int k = 0; k < RH_EXACT_WORDS; k++)
    rh_fixed_add_shifted(to, words[k], RH_FIXED_F64_LOWEST - 1 + 64 * k);
}

/* P = (A + S) / 2 and N = (A - S) / 2. */
void rh_exact_bins_fold(rh_exact_bins *bins, rh_exact_sum *sum) {
  rh_exact_state s = {0}, a = {0};
  uint64_t words[RH_EXACT_WORDS];
  rh_fixed all, apart, less;
  rh_accumulator_take(&bins->sum, &s);
  if (bins->sum.magnitudes) a = s;
  else rh_accumulator_take(&bins->magnitudes, &a);
  int is_below = rh_exact_magnitude(&s, words);
  halve(&apart, words);
  halve(&all, a.words);
  rh_fixed_distance(&less, &all, &apart);
  rh_fixed_add(&all, &apart);
  rh_fixed_add(&sum->positive, is_below ? &less : &all);
  rh_fixed_add(&sum->negative, is_below ? &all : &less);
  sum->n += s.n;
  sum->nans |= (s.flags & RH_EXACT_NAN) != 0;
  sum->plus_infinities |= (s.flags & RH_EXACT_PLUS) != 0;
  sum->minus_infinities |= (s.flags & RH_EXACT_MINUS) != 0;
  sum->has_others |= (s.flags & RH_EXACT_OTHERS) != 0;
}

/* ---- Sums ---- */

void rh_exact_sum_merge(rh_exact_sum *sum, const rh_exact_sum *other) {
  rh_fixed_add(&sum->positive, &other->positive);
  rh_fixed_add(&sum->negative, &other->negative);
  sum->n += other->n;
  sum->nans |= other->nans;
  sum->plus_infinities |= other->plus_infinities;
  sum->minus_infinities |= other->minus_infinities;
  sum->has_others |= other->has_others;
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

#define ROUNDED(rounded)                                                                           \
  float special;                                                                                   \
  rh_fixed magnitude;                                                                              \
  if (sum_is_special(sum, &special)) return special;                                               \
  return is_negative(sum, &magnitude) ? -(rounded) : (rounded)
double rh_exact_sum_double(const rh_exact_sum *sum) { ROUNDED(rh_fixed_double(&magnitude)); }
float rh_exact_sum_float(const rh_exact_sum *sum) { ROUNDED(rh_fixed_float(&magnitude)); }
long double rh_exact_sum_long(const rh_exact_sum *sum) { ROUNDED(rh_fixed_long(&magnitude, 0)); }

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
