/* Exact sums, against MPFR, and long products. */
#include <mpfr.h>

#include "../../host/core/check/check.h"
#include "numbers.h"

/* ---- The sum of an array, and every property that is reported, against MPFR ---- */

static rh_exact_sum sum_or_asum_of(rh_type type, const void *data, uint64_t n, int magnitudes) {
  rh_exact_sum sum = {0};
  rh_exact_bins *bins = rh_exact_bins_create(type, magnitudes);
  ck_assert_ptr_nonnull(bins);
  rh_exact_bins_add(bins, data, n);
  rh_exact_bins_fold(bins, &sum);
  rh_exact_bins_destroy(bins);
  ck_assert_uint_eq(sum.specials.n, n);
  return sum;
}

static rh_exact_sum sum_of(rh_type type, const void *data, uint64_t n) {
  return sum_or_asum_of(type, data, n, 0);
}

static rh_exact_sum asum_of(rh_type type, const void *data, uint64_t n) {
  return sum_or_asum_of(type, data, n, 1);
}

enum { PRECISION = 2300 }; /* holds each of these sums */

/* The error is at least |S - r|, and not more than one unit in 2^62 above. */
static void assert_error(const rh_exact_sum *sum, mpfr_t s, double r) {
  long double off = rh_exact_sum_error(sum, r);
  mpfr_t distance, below;
  mpfr_inits2(PRECISION, distance, below, NULL);
  ck_assert_int_eq(mpfr_sub_d(distance, s, r, MPFR_RNDN), 0);
  mpfr_abs(distance, distance, MPFR_RNDN);
  mpfr_set_ld(below, off * (1 - 0x1p-62L), MPFR_RNDN);
  ck_assert_int_le(mpfr_cmp_ld(distance, off), 0);
  if (off >= 0x1p-1000L) ck_assert_int_gt(mpfr_cmp(distance, below), 0);
  ck_assert((off == 0) == mpfr_zero_p(distance));
  mpfr_clears(distance, below, NULL);
}

static void assert_rounded(const rh_exact_sum *sum, mpfr_t s) {
  ck_assert((double)rh_exact_sum_rounded(sum, RH_TYPE_f64) == mpfr_get_d(s, MPFR_RNDN));
  ck_assert((float)rh_exact_sum_rounded(sum, RH_TYPE_f32) == mpfr_get_flt(s, MPFR_RNDN));
}

static void assert_sum(rh_type type, const void *data, uint64_t n) {
  mpfr_t s, a;
  mpfr_inits2(PRECISION, s, a, NULL);
  mpfr_set_zero(s, 1);
  mpfr_set_zero(a, 1);
  for (uint64_t i = 0; i < n; i++) {
    double x = element_of(type, data, i);
    if (mpfr_add_d(s, s, x, MPFR_RNDN) || mpfr_add_d(a, a, fabs(x), MPFR_RNDN))
      ck_abort_msg("%a is out of range", x);
  }
  rh_exact_sum sum = sum_of(type, data, n), asum = asum_of(type, data, n);
  double rounded = (double)rh_exact_sum_rounded(&sum, RH_TYPE_f64);
  assert_rounded(&sum, s);
  assert_rounded(&asum, a);
  ck_assert(rh_exact_abs_up(&sum) == rh_exact_abs_up(&asum));
  const double others[] = {rounded, 0, -rounded, nextafter(rounded, 1) * 0.75, 0x1p-1074};
  for (size_t k = 0; k < sizeof others / sizeof *others && isfinite(rounded); k++)
    assert_error(&sum, s, others[k]);
  mpfr_clears(s, a, NULL);
}

/* ---- Random data ---- */

/* Any finite double with an exponent field in low .. low+range-1. */
static double random_double(unsigned low, unsigned range) {
  uint64_t field = low + random_bits() % range;
  uint64_t bits = (random_bits() & ~(UINT64_C(0x7ff) << 52)) | field << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float random_float(unsigned low, unsigned range) {
  uint32_t field = low + (uint32_t)(random_bits() % range);
  uint32_t bits = ((uint32_t)random_bits() & ~(UINT32_C(0xff) << 23)) | field << 23;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* ---- Tests of sums ---- */

TEST(empty_and_single) {
  rh_exact_sum none = sum_of(RH_TYPE_f32, NULL, 0);
  ck_assert((float)rh_exact_sum_rounded(&none, RH_TYPE_f32) == 0 &&
            !signbit((float)rh_exact_sum_rounded(&none, RH_TYPE_f32)));
  ck_assert((double)rh_exact_sum_rounded(&none, RH_TYPE_f64) == 0 &&
            !signbit((double)rh_exact_sum_rounded(&none, RH_TYPE_f64)));
  const double values[] = {0.0,        -0.0,    1,       -1,       0x1p-1074,
                           -0x1p-1074, DBL_MIN, DBL_MAX, -DBL_MAX, 0.1};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    rh_exact_sum one = sum_of(RH_TYPE_f64, &values[i], 1);
    ck_assert((double)rh_exact_sum_rounded(&one, RH_TYPE_f64) == values[i]);
    rh_exact_sum magnitude = asum_of(RH_TYPE_f64, &values[i], 1);
    ck_assert((double)rh_exact_sum_rounded(&magnitude, RH_TYPE_f64) == fabs(values[i]));
    ck_assert(!signbit((double)rh_exact_sum_rounded(&magnitude, RH_TYPE_f64)));
    ck_assert(rh_exact_sum_error(&one, values[i]) == 0);
  }
}

TEST(every_half) {
  static uint16_t all[65536], finite[65536];
  rh_exact_bins *bins = rh_exact_bins_create(RH_TYPE_f16, 0);
  uint64_t n_finite = 0, units = 0; /* sum of positive halves in units of 2^-24 */
  for (uint32_t bits = 0; bits < 65536; bits++) {
    all[bits] = (uint16_t)bits;
    uint32_t field = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (field == 0x1f) {
      float special = rh_half_to_float((uint16_t)bits);
      uint32_t is;
      memcpy(&is, &special, sizeof is);
      ck_assert_uint_eq(is >> 22 & 1, fraction != 0); /* NaN is quiet: hypot(inf, NaN) is inf */
      ck_assert_uint_eq(is >> 31, bits >> 15);
      continue;
    }
    finite[n_finite++] = (uint16_t)bits;
    if (bits < 0x8000) units += field == 0 ? fraction : (uint64_t)(fraction | 0x400) << (field - 1);
    rh_exact_sum one = {0};
    rh_exact_bins_add(bins, &all[bits], 1);
    rh_exact_bins_fold(bins, &one);
    ck_assert((float)rh_exact_sum_rounded(&one, RH_TYPE_f32) == rh_half_to_float((uint16_t)bits));
  }
  rh_exact_sum sum = sum_of(RH_TYPE_f16, finite, n_finite);
  ck_assert((float)rh_exact_sum_rounded(&sum, RH_TYPE_f32) == 0);
  sum = asum_of(RH_TYPE_f16, finite, n_finite);
  ck_assert((double)rh_exact_sum_rounded(&sum, RH_TYPE_f64) == ldexp((double)(2 * units), -24));
  sum = sum_of(RH_TYPE_f16, finite, n_finite / 2);
  ck_assert((double)rh_exact_sum_rounded(&sum, RH_TYPE_f64) == ldexp((double)units, -24));
  sum = sum_of(RH_TYPE_f16, all, 65536);
  ck_assert_uint_eq(sum.specials.nans, 1);
  ck_assert_uint_eq(sum.specials.plus_infinities, 1);
  ck_assert_uint_eq(sum.specials.minus_infinities, 1);
  ck_assert(isnan((float)rh_exact_sum_rounded(&sum, RH_TYPE_f32)));
  rh_exact_bins_destroy(bins);
}

TEST_LOOP(random_against_mpfr, 0, long_double_works()) {
  static const struct {
    unsigned low, range;
  } in_f64[] = {{0, 2047}, {0, 3}, {1023, 1}, {1000, 60}, {2040, 7}},
    in_f32[] = {{0, 255}, {0, 3}, {127, 1}, {100, 60}, {250, 5}};
  static double x[3000];
  static float y[3000];
  static uint16_t z[3000];
  for (size_t kind = 0; kind < 5; kind++) {
    for (uint64_t n = 1; n <= 3000; n = n < 12 ? n + 1 : n * 6) {
      for (uint64_t i = 0; i < n; i++) {
        x[i] = random_double(in_f64[kind].low, in_f64[kind].range);
        y[i] = random_float(in_f32[kind].low, in_f32[kind].range);
        z[i] = (uint16_t)(random_bits() & 0xbbff); /* finite */
      }
      assert_sum(RH_TYPE_f64, x, n);
      assert_sum(RH_TYPE_f32, y, n);
      assert_sum(RH_TYPE_f16, z, n);
    }
  }
}

/* Elements, their negatives in another order, and a small number: the sum is that number. */
TEST_LOOP(massive_cancellation, 0, long_double_works()) {
  enum { N = 5000 };
  static double x[2 * N + 2];
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < N; i++) {
      x[i] = random_double(0, 2047);
      x[2 * N - 1 - i] = -x[i];
    }
    x[2 * N] = random_double(0, 1);
    x[2 * N + 1] = random_double(1, 1);
    rh_exact_sum sum = sum_of(RH_TYPE_f64, x, 2 * N + 2);
    ck_assert((double)rh_exact_sum_rounded(&sum, RH_TYPE_f64) == x[2 * N] + x[2 * N + 1]);
    assert_sum(RH_TYPE_f64, x, 2 * N + 2);
  }
}

static int same(const rh_exact_sum *a, const rh_exact_sum *b) { return !memcmp(a, b, sizeof *a); }

TEST(order_and_grouping_do_not_matter) {
  enum { N = 40000 };
  static float x[N];
  for (int i = 0; i < N; i++) x[i] = random_float(0, 256); /* NaNs and infinities among them */
  rh_exact_sum whole = sum_of(RH_TYPE_f32, x, N), merged = {0}, folded = {0};
  ck_assert_uint_gt(whole.specials.nans, 0);
  rh_exact_bins *bins = rh_exact_bins_create(RH_TYPE_f32, 0);
  for (uint64_t at = 0, n; at < N; at += n) {
    n = random_bits() % 999;
    if (n > N - at) n = N - at;
    rh_exact_sum part = sum_of(RH_TYPE_f32, x + at, n);
    rh_exact_sum_merge(&merged, &part);
    rh_exact_bins_add(bins, x + at, n);
    if (random_bits() % 3 == 0) rh_exact_bins_fold(bins, &folded);
  }
  rh_exact_bins_fold(bins, &folded);
  rh_exact_bins_destroy(bins);
  ck_assert(same(&whole, &merged) && same(&whole, &folded));
  for (uint64_t i = N - 1; i > 0; i--) {
    uint64_t j = random_bits() % (i + 1);
    float moved = x[i];
    x[i] = x[j];
    x[j] = moved;
  }
  rh_exact_sum shuffled = sum_of(RH_TYPE_f32, x, N);
  ck_assert(same(&whole, &shuffled));
}

/* ---- Tests of products ---- */

static rh_exact_prod prod_of(rh_type type, const void *data, uint64_t n) {
  rh_exact_prod prod;
  rh_exact_prod_init(&prod);
  rh_exact_prod_add(&prod, type, data, n);
  ck_assert_uint_eq(prod.n, n);
  return prod;
}

#define PROD_F64(...)                                                                              \
  prod_of(RH_TYPE_f64, (const double[]){__VA_ARGS__},                                              \
          sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

TEST(distances_of_products) {
  rh_exact_prod prod = PROD_F64(8, -0.25, 1, -1, 2, 0x1p-1074);
  ck_assert(rh_exact_prod_distance(&prod, 0x1p-1072L) == 0);
  ck_assert(rh_exact_prod_distance(&prod, 1) == 1072);
  ck_assert(rh_exact_prod_distance(&prod, 0x1p-1073L) == -1);
  prod = PROD_F64(DBL_MAX, DBL_MAX, 0x1p-1074, 0x1p-900, 3); /* leaves the range, and is back */
  long double at = rh_exact_prod_distance(&prod, 0x1.8p75L);
  ck_assert(at > 0 && at < 1e-15L);
  ck_assert(rh_exact_prod_distance(&prod, 0x1.8000001p75L) > at);
  prod = PROD_F64(DBL_MAX, DBL_MAX, DBL_MAX); /* and does not come back */
  ck_assert(rh_exact_prod_distance(&prod, DBL_MAX) > -2048.1L);
  ck_assert(rh_exact_prod_distance(&prod, DBL_MAX) < -2047.9L);
}

/* Every element with its inverse, for powers of two that have one; across block boundaries. */
TEST_LOOP(products_of_many, 0, long_double_works()) {
  enum { N = 20000 };
  static double x[2 * N];
  long double expected = 1;
  int64_t exponent = 0;
  for (int i = 0; i < N; i++) {
    int power = (int)(random_bits() % 2000) - 1000, more;
    x[i] = ldexp(1 + (double)(random_bits() % 4096) / 4096, power);
    x[N + i] = ldexp(1, -power);
    expected = frexpl(expected * (long double)x[i], &more);
    exponent += more - power;
  }
  rh_exact_prod prod = prod_of(RH_TYPE_f64, x, 2 * N), merged;
  rh_exact_prod_init(&merged);
  for (int i = 0; i < 2 * N; i += 4000) {
    rh_exact_prod part = prod_of(RH_TYPE_f64, x + i, 4000);
    rh_exact_prod_merge(&merged, &part);
  }
  rh_scaled both[] = {prod.magnitude, merged.magnitude};
  for (int i = 0; i < 2; i++) {
    long double ratio = ldexpl(both[i].mantissa / expected, (int)(both[i].exponent - exponent));
    ck_assert(fabsl(ratio - 1) <= 2 * N * LDBL_EPSILON);
  }
  ck_assert(merged.n == prod.n && merged.uneven == prod.uneven);
}
