#include "check.h"

#include <redhost/exact.h>

/* Elements that are still in a cache when they are added again. */
enum { BLOCK = RH_EXACT_BLOCK };

struct rh_exact_bins {
  rh_accumulator sum, magnitudes; /* of asum, only the former */
  rh_exact_sum products;          /* of f64 */
};

rh_exact_bins *rh_exact_bins_create(rh_type type, int magnitudes) {
  rh_exact_bins *bins = malloc(sizeof *bins);
  if (!bins) return NULL;
  rh_accumulator_init(&bins->sum, type, magnitudes, 0);
  rh_accumulator_init(&bins->magnitudes, type, 1, 0);
  bins->products = (rh_exact_sum){0};
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

enum { SPECIAL = 0x7ff }; /* the exponent field of infinities and NaN */

/* Products of f32 are exact as doubles. */
static void add_narrow(rh_exact_bins *bins, const float *x, const float *y, uint64_t n) {
  enum { AT_ONCE = 1024 };
  double products[AT_ONCE];
  for (uint64_t at = 0; at < n; at += AT_ONCE) {
    uint64_t count = n - at < AT_ONCE ? n - at : AT_ONCE;
    for (uint64_t k = 0; k < count; k++) products[k] = (double)x[at + k] * (double)y[at + k];
    rh_exact_bins_add(bins, products, count);
  }
}

static uint64_t field_of(uint64_t bits) { return bits >> 52 & SPECIAL; }

static uint64_t significand_of(uint64_t bits) {
  return (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(field_of(bits) != 0) << 52;
}

/* A subnormal has the exponent of field 1. */
static int exponent_of(uint64_t bits) {
  uint64_t field = field_of(bits);
  return field ? (int)field : 1;
}

/* x = s * 2^(exponent - 1075) with an integer s, and so a product is s * 2^(sum - 2150). */
static void add_wide(rh_exact_sum *sum, const double *x, const double *y, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    uint64_t a, b;
    memcpy(&a, &x[k], sizeof a);
    memcpy(&b, &y[k], sizeof b);
    if (field_of(a) == SPECIAL || field_of(b) == SPECIAL) {
      sum->specials.nans |= isnan(x[k] * y[k]) != 0;
      sum->specials.plus_infinities |= x[k] * y[k] > 0;
      sum->specials.minus_infinities |= x[k] * y[k] < 0;
      sum->specials.has_others = 1;
      continue;
    }
    rh_u128 product = (rh_u128)significand_of(a) * significand_of(b);
    int is_negative = (int)((a ^ b) >> 63);
    sum->specials.has_others |= product != 0 || !is_negative; /* than products of -0 */
    rh_fixed_add_shifted(is_negative ? &sum->negative : &sum->positive, product,
                         exponent_of(a) + exponent_of(b) - 2150 + RH_FIXED_UNIT);
  }
  sum->specials.n += n;
}

void rh_exact_bins_add_products(rh_exact_bins *bins, rh_type type, const void *x, const void *y,
                                uint64_t n) {
  if (type == RH_TYPE_f64) add_wide(&bins->products, x, y, n);
  else add_narrow(bins, x, y, n);
}

/* *to = half of the words, whose unit has a place above the lowest. */
static void halve(rh_fixed *to, const uint64_t *words) {
  *to = (rh_fixed){0};
  for (int k = 0; k < RH_EXACT_WORDS; k++)
    rh_fixed_add_shifted(to, words[k], RH_FIXED_F64_LOWEST - 1 + 64 * k);
}

static void merge_specials(rh_specials *to, const rh_specials *part) {
  to->n += part->n;
  to->nans |= part->nans;
  to->plus_infinities |= part->plus_infinities;
  to->minus_infinities |= part->minus_infinities;
  to->has_others |= part->has_others;
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
  const rh_specials found = {.n = s.n,
                             .nans = (s.flags & RH_EXACT_NAN) != 0,
                             .plus_infinities = (s.flags & RH_EXACT_PLUS) != 0,
                             .minus_infinities = (s.flags & RH_EXACT_MINUS) != 0,
                             .has_others = (s.flags & RH_EXACT_OTHERS) != 0};
  merge_specials(&sum->specials, &found);
  rh_exact_sum_merge(sum, &bins->products);
  bins->products = (rh_exact_sum){0};
}

/* ---- Sums ---- */

void rh_exact_sum_merge(rh_exact_sum *sum, const rh_exact_sum *other) {
  rh_fixed_add(&sum->positive, &other->positive);
  rh_fixed_add(&sum->negative, &other->negative);
  merge_specials(&sum->specials, &other->specials);
}

/* 0 where S is finite, else 1 and S. */
static int is_special(const rh_specials *of, float *value) {
  int plus = of->plus_infinities > 0, minus = of->minus_infinities > 0;
  if (!of->nans && !plus && !minus) return 0;
  *value = of->nans || (plus && minus) ? NAN : plus ? INFINITY : -INFINITY;
  return 1;
}

/* If all elements are -0, so is S. */
static int is_minus_zero(const rh_specials *of) { return of->n > 0 && !of->has_others; }

long double rh_exact_sum_rounded(const rh_exact_sum *sum, rh_type type) {
  float special;
  rh_fixed magnitude;
  if (is_special(&sum->specials, &special)) return (long double)special;
  int is_negative = rh_fixed_distance(&magnitude, &sum->positive, &sum->negative) ||
                    is_minus_zero(&sum->specials);
  long double rounded = rh_fixed_rounded(&magnitude, type, 0);
  return is_negative ? -rounded : rounded;
}

long double rh_exact_abs_up(const rh_exact_sum *sum) {
  rh_fixed total = sum->positive;
  rh_fixed_add(&total, &sum->negative);
  return rh_fixed_rounded(&total, 0, 1);
}

long double rh_exact_sum_error(const rh_exact_sum *sum, double result) {
  uint64_t bits;
  memcpy(&bits, &result, sizeof bits);
  rh_exact_sum difference = *sum;
  rh_fixed *side = bits >> 63 ? &difference.positive : &difference.negative; /* S - result */
  rh_fixed_add_shifted(side, significand_of(bits), RH_FIXED_F64_LOWEST + exponent_of(bits) - 1);
  rh_fixed distance;
  rh_fixed_distance(&distance, &difference.positive, &difference.negative);
  return rh_fixed_rounded(&distance, 0, 1);
}

void rh_field_sum_of(rh_field_sum *to, const rh_exact_sum *exact, const rh_enclosed *enclosed) {
  rh_exact_sum finite = {.positive = exact->positive, .negative = exact->negative};
  *to = (rh_field_sum){
      .sum = rh_exact_sum_rounded(&finite, 0),
      .positive = rh_fixed_rounded(&exact->positive, 0, 1),
      .negative = rh_fixed_rounded(&exact->negative, 0, 1),
      .specials = exact->specials,
      .enclosed = *enclosed,
  };
  to->lost = fabsl(to->sum) * LDBL_EPSILON;
}

void rh_field_sum_merge(rh_field_sum *to, const rh_field_sum *part) {
  to->sum += part->sum;
  to->positive = (to->positive + part->positive) * (1 + LDBL_EPSILON);
  to->negative = (to->negative + part->negative) * (1 + LDBL_EPSILON);
  to->lost += part->lost + fabsl(to->sum) * LDBL_EPSILON;
  merge_specials(&to->specials, &part->specials);
  rh_enclosed_merge(&to->enclosed, RH_OP_sum, &part->enclosed);
}

double rh_field_sum_rounded(const rh_field_sum *sum, rh_type type) {
  float special;
  if (is_special(&sum->specials, &special)) return (double)special;
  if (sum->sum == 0) return is_minus_zero(&sum->specials) ? -0.0 : 0.0;
  return type == RH_TYPE_f64 ? (double)sum->sum : (double)(float)sum->sum;
}
