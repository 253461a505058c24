/* redhost/exact.h on vectors of each width, against MPFR: data of every kind that its loops tell
 * apart, in pieces of any length and alignment, and merged. */
#include <mpfr.h>
#include <redhost/exact.h>

#include "../../host/core/base/base.h"
#include "numbers.h"

enum { MOST = 20011, PRECISION = 2300 };
static const unsigned widths[] = {512, 256, 128};

/* From [1, 2), of a random sign, times 2^exponent. */
static double at(int exponent) {
  double x = ldexp(1 + (double)(random_bits() >> 12) * 0x1p-52, exponent);
  return random_bits() & 1 ? x : -x;
}

static int of_range(int low, int high) {
  return low + (int)(random_bits() % (uint64_t)(high - low + 1));
}

enum {
  UNIFORM,
  BINADES,
  WHOLE_RANGE,
  OUTLIERS,
  SUBNORMAL,
  NEAR_OVERFLOW,
  CHANGING,
  ZEROS,
  N_KINDS
};

static double element(rh_type type, int kind, uint64_t i) {
  int low = type == RH_TYPE_f64 ? -1022 : -126, high = type == RH_TYPE_f64 ? 1023 : 127;
  switch (kind) {
  case UNIFORM: return fabs(at(of_range(-3, -1)));
  case BINADES: return at(of_range(-20, 19));
  case WHOLE_RANGE: return at(of_range(low, high));
  case OUTLIERS: return at(random_bits() % 1000 ? of_range(-3, 0) : 100);
  case SUBNORMAL: return at(low - 3);
  case NEAR_OVERFLOW: return at(high);
  case CHANGING: return element(type, (int)(i / 5000 % CHANGING), i);
  default: return -0.0;
  }
}

static void store(rh_type type, void *to, uint64_t i, double x) {
  if (type == RH_TYPE_f64) ((double *)to)[i] = x;
  else if (type == RH_TYPE_f32) ((float *)to)[i] = isinf((float)x) ? FLT_MAX : (float)x;
  else ((uint16_t *)to)[i] = rh_half_from_float(fmodf((float)x, 32768));
}

/* MPFR has 0 for zeros of both signs that meet. */
static void by_mpfr(rh_type type, const void *x, uint64_t n, int magnitudes, double *wide,
                    float *narrow) {
  mpfr_t sum;
  int has_others = 0;
  mpfr_init2(sum, PRECISION);
  mpfr_set_zero(sum, 1);
  for (uint64_t i = 0; i < n; i++) {
    double one = element_of(type, x, i);
    if (magnitudes) one = fabs(one);
    has_others |= one != 0 || !signbit(one);
    ck_assert_int_eq(mpfr_add_d(sum, sum, one, MPFR_RNDN), 0);
  }
  *wide = mpfr_get_d(sum, MPFR_RNDN);
  *narrow = mpfr_get_flt(sum, MPFR_RNDN);
  if (n && !has_others) *wide = *narrow = -0.0f;
  mpfr_clear(sum);
}

/* Pieces go to two accumulators, one of which is emptied now and then. */
static void by_pieces(rh_type type, const void *x, uint64_t n, int magnitudes, unsigned width,
                      rh_exact_state *state) {
  static rh_accumulator parts[2];
  uint64_t size = type == RH_TYPE_f64 ? 8 : type == RH_TYPE_f32 ? 4 : 2;
  for (int k = 0; k < 2; k++) rh_accumulator_init(&parts[k], type, magnitudes, width);
  for (uint64_t i = 0, piece; i < n; i += piece) {
    piece = random_bits() % (random_bits() & 1 ? 99 : 9999);
    if (piece > n - i) piece = n - i;
    rh_accumulator *to = &parts[random_bits() & 1];
    rh_accumulator_add(to, (const char *)x + i * size, piece);
    if (random_bits() % 8 == 0) rh_accumulator_take(to, state);
  }
  for (int k = 0; k < 2; k++) rh_accumulator_take(&parts[k], state);
}

static void compare(rh_type type, const void *x, uint64_t n, int magnitudes) {
  double wide;
  float narrow;
  by_mpfr(type, x, n, magnitudes, &wide, &narrow);
  for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
    rh_exact_state state = {0};
    by_pieces(type, x, n, magnitudes, widths[k], &state);
    double sum = rh_exact_state_double(&state);
    float rounded = rh_exact_state_float(&state);
    ck_assert_msg(memcmp(&sum, &wide, sizeof sum) == 0, "%u bits: %a instead of %a", widths[k], sum,
                  wide);
    ck_assert_msg(memcmp(&rounded, &narrow, sizeof rounded) == 0, "%u bits: %a instead of %a",
                  widths[k], (double)rounded, (double)narrow);
    ck_assert_uint_eq(state.n, n);
  }
}

static void try_kind(rh_type type, int kind) {
  static const uint64_t lengths[] = {0, 1, 63, 64, 65, 4095, 4096, 4160, MOST};
  unsigned char *memory = malloc(8 * MOST + 8);
  ck_assert_ptr_nonnull(memory);
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    uint64_t n = lengths[k], shift = k % 2 ? (type == RH_TYPE_f16 ? 2 : 4) : 0;
    if (type == RH_TYPE_f64) shift *= 2;
    for (uint64_t i = 0; i < n; i++) store(type, memory + shift, i, element(type, kind, i));
    compare(type, memory + shift, n, 0);
    compare(type, memory + shift, n, 1);
  }
  free(memory);
}

TEST_LOOP(each_kind, 0, N_KINDS) {
  try_kind(RH_TYPE_f64, _i);
  try_kind(RH_TYPE_f32, _i);
  try_kind(RH_TYPE_f16, _i);
}

/* Wherever they stand: at the front they come before any sum, later they spoil a running one. */
TEST(infinities_and_nan_anywhere) {
  static const float specials[] = {INFINITY, -INFINITY, NAN};
  static const uint64_t wanted[] = {RH_EXACT_PLUS, RH_EXACT_MINUS, RH_EXACT_NAN};
  static float x[MOST];
  static double y[MOST];
  for (uint64_t i = 0; i < MOST; i++) x[i] = (float)(y[i] = at(of_range(-3, 0)));
  for (size_t trial = 0; trial < 60; trial++) {
    uint64_t place = random_bits() % MOST, kind = trial % 3;
    float before = x[place];
    x[place] = specials[kind];
    y[place] = (double)specials[kind];
    for (size_t k = 0; k < 6; k++) {
      rh_exact_state state = {0};
      int is_wide = k >= 3;
      by_pieces(is_wide ? RH_TYPE_f64 : RH_TYPE_f32, is_wide ? (void *)y : (void *)x, MOST, 0,
                widths[k % 3], &state);
      ck_assert_uint_eq(state.flags, wanted[kind] | RH_EXACT_ELEMENTS | RH_EXACT_OTHERS);
    }
    x[place] = before;
    y[place] = (double)before;
  }
}

TEST_LOOP(infinities_that_meet, 0, 3) {
  static rh_accumulator accumulator;
  static const double both[] = {INFINITY, 1, -INFINITY};
  rh_exact_state state = {0};
  rh_accumulator_init(&accumulator, RH_TYPE_f64, 0, widths[_i]);
  rh_accumulator_add(&accumulator, both, 3);
  rh_accumulator_take(&accumulator, &state);
  ck_assert(isnan(rh_exact_state_double(&state)));
}

/* What came before, and how it was added, is forgotten. */
TEST_LOOP(zeros_after_others, 0, N_KINDS) {
  static rh_accumulator accumulator;
  static double x[4096], zeros[4096];
  const rh_type types[] = {RH_TYPE_f64, RH_TYPE_f32};
  for (size_t k = 0; k < 6; k++) {
    rh_type type = types[k % 2];
    rh_exact_state state = {0}, after = {0};
    for (uint64_t i = 0; i < 4096; i++) {
      store(type, x, i, element(type, _i, i));
      store(type, zeros, i, -0.0);
    }
    rh_accumulator_init(&accumulator, type, 0, widths[k / 2]);
    rh_accumulator_add(&accumulator, x, 4096);
    rh_accumulator_take(&accumulator, &state);
    rh_accumulator_add(&accumulator, zeros, k < 3 ? 4096 : 1);
    rh_accumulator_take(&accumulator, &after);
    double zero = rh_exact_state_double(&after);
    ck_assert(zero == 0 && signbit(zero));
  }
}

/* By bins alone, which overflow after 2^10 elements of f64; those of f32 are emptied in time.  The
 * state, merged with itself, is that of 2^40 elements. */
TEST(headroom) {
  static rh_accumulator accumulator;
  static double x[4096];
  static float y[4096];
  const rh_type types[] = {RH_TYPE_f64, RH_TYPE_f32};
  for (int i = 0; i < 4096; i++) x[i] = (double)(y[i] = 0x1.fffffep0f);
  for (int t = 0; t < 2; t++) {
    rh_exact_state state = {0};
    rh_accumulator_init(&accumulator, types[t], 0, 0);
    accumulator.level = 3;
    accumulator.left = 1 << 20;
    for (int k = 0; k < 64; k++) {
      rh_accumulator_add(&accumulator, t ? (void *)y : (void *)x, 4096);
      if (k % 8 == 0) accumulator.n_binned = RH_EXACT_FOLD_FROM;
    }
    rh_accumulator_take(&accumulator, &state);
    ck_assert(rh_exact_state_double(&state) == ldexp(x[0], 18));
    for (int k = 18; k < 40; k++) {
      const rh_exact_state half = state;
      rh_exact_state_merge(&state, &half);
    }
    ck_assert_uint_eq(state.n, UINT64_C(1) << 40);
    ck_assert(rh_exact_state_double(&state) == ldexp(x[0], 40));
  }
}

/* The caller's rounding, flags and flushing of subnormals decide nothing, and stay. */
#if defined(__x86_64__)
TEST(any_control_word) {
  static rh_accumulator accumulator;
  static float x[4096];
  rh_exact_state state = {0};
  for (uint64_t i = 0; i < 4096; i++) x[i] = 0x1p-149f;
  rh_control_write(0xffc0 | 0x3f); /* towards zero, subnormals flushed and taken as 0 */
  rh_accumulator_init(&accumulator, RH_TYPE_f32, 0, 0);
  rh_accumulator_add(&accumulator, x, 4096);
  rh_accumulator_take(&accumulator, &state);
  uint32_t after = rh_control_read();
  rh_control_write(0x1f80);
  ck_assert_uint_eq(after, 0xffff);
  ck_assert(rh_exact_state_double(&state) == 0x1p-137);
}
#endif
