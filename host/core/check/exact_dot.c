#include "check.h"

enum {
  BLOCK = 1024, /* products of f32 at a time */
  DIGITS = 53,
  SPECIAL = 0x7ff, /* the exponent field of infinities and NaN */
  /* A product of 106 bits is added as two halves of 53, to the bins of its exponent and the one 53
   * above: 2^75 of them fit into 128 bits. */
  FIELDS = 2 * SPECIAL + DIGITS
};

struct rh_exact_dot {
  rh_type type;
  rh_exact_bins *bins; /* f32, whose products are exact as doubles */
  /* f64: by sign and the sum of the exponent fields */
  rh_u128 (*by)[FIELDS];
  rh_exact_sum specials;
};

rh_exact_dot *rh_exact_dot_create(rh_type type) {
  rh_exact_dot *dot = calloc(1, sizeof *dot);
  if (!dot) return NULL;
  dot->type = type;
  if (type == RH_TYPE_f64) dot->by = calloc(2, sizeof *dot->by);
  else dot->bins = rh_exact_bins_create(RH_TYPE_f64, 0);
  if (dot->by || dot->bins) return dot;
  rh_exact_dot_destroy(dot);
  return NULL;
}

void rh_exact_dot_destroy(rh_exact_dot *dot) {
  if (!dot) return;
  rh_exact_bins_destroy(dot->bins);
  free(dot->by);
  free(dot);
}

static void add_narrow(rh_exact_dot *dot, const float *x, const float *y, uint64_t n) {
  double products[BLOCK];
  for (uint64_t at = 0; at < n; at += BLOCK) {
    uint64_t count = n - at < BLOCK ? n - at : BLOCK;
    for (uint64_t k = 0; k < count; k++) products[k] = (double)x[at + k] * (double)y[at + k];
    rh_exact_bins_add(dot->bins, products, count);
  }
}

static uint64_t field_of(uint64_t bits) { return bits >> 52 & SPECIAL; }

static uint64_t significand_of(uint64_t bits) {
  return (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(field_of(bits) != 0) << 52;
}

static void add_special(rh_exact_dot *dot, double product) {
  if (isnan(product)) dot->specials.nans = 1;
  else if (product > 0) dot->specials.plus_infinities = 1;
  else dot->specials.minus_infinities = 1;
}

/* A subnormal has the exponent of field 1. */
static uint64_t exponent_of(uint64_t bits) {
  uint64_t field = field_of(bits);
  return field ? field : 1;
}

static void add_wide(rh_exact_dot *dot, const double *x, const double *y, uint64_t n) {
  int has_others = 0; /* than products of -0 */
  for (uint64_t k = 0; k < n; k++) {
    uint64_t a, b;
    memcpy(&a, &x[k], sizeof a);
    memcpy(&b, &y[k], sizeof b);
    if (field_of(a) == SPECIAL || field_of(b) == SPECIAL) {
      add_special(dot, x[k] * y[k]);
      has_others = 1;
      continue;
    }
    rh_u128 product = (rh_u128)significand_of(a) * significand_of(b);
    has_others |= product != 0 || !((a ^ b) >> 63);
    rh_u128 *bin = &dot->by[(a ^ b) >> 63][exponent_of(a) + exponent_of(b)];
    bin[0] += product & ((UINT64_C(1) << DIGITS) - 1);
    bin[DIGITS] += product >> DIGITS;
  }
  dot->specials.has_others |= (uint64_t)has_others;
}

/* x = s * 2^(exponent - 1075) with an integer s, and so a product is s * 2^(sum - 2150). */
static void fold_wide(rh_exact_dot *dot, rh_exact_sum *sum) {
  for (int sign = 0; sign < 2; sign++)
    for (int field = 2; field < FIELDS; field++) {
      rh_u128 total = dot->by[sign][field];
      if (total == 0) continue;
      rh_fixed_add_shifted(sign ? &sum->negative : &sum->positive, total,
                           field - 2150 + RH_FIXED_UNIT);
    }
  memset(dot->by, 0, 2 * sizeof *dot->by);
}

void rh_exact_dot_add(rh_exact_dot *dot, const void *x, const void *y, uint64_t n) {
  if (dot->type != RH_TYPE_f64) {
    add_narrow(dot, x, y, n);
    return;
  }
  add_wide(dot, x, y, n);
  dot->specials.n += n;
}

void rh_exact_dot_fold(rh_exact_dot *dot, rh_exact_sum *sum) {
  if (dot->type != RH_TYPE_f64) {
    rh_exact_bins_fold(dot->bins, sum);
    return;
  }
  fold_wide(dot, sum);
  rh_exact_sum_merge(sum, &dot->specials);
  memset(&dot->specials, 0, sizeof dot->specials);
}
