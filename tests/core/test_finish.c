/* What an exact sum is rounded to, by three programs that share nothing: redhost/exact.h, which
 * strategies use; host/core/check/fixed.c, which judges them; and MPFR.  And sums that others
 * publish.
 *
 * REDHOST_TEST_STATES is the number of sums, half of them the others' negatives; REDHOST_TEST_SEED
 * chooses others. */
#include <mpfr.h>
#include <redhost/exact.h>

#include "../../host/core/check/check.h"
#include "numbers.h"

enum { BITS = 64 * RH_EXACT_WORDS, HIGHEST = BITS - 2, LEAST_STATES = 1000000 };

static uint64_t below(uint64_t n) { return random_bits() % n; }

/* ---- Sums that are hard to round ---- */

/* sum += bits * 2^place, or -= . */
static void add(mpz_t sum, uint64_t bits, int place, int is_less) {
  mpz_t part;
  if (place < 0) return;
  mpz_init_set_ui(part, bits);
  mpz_mul_2exp(part, part, (mp_bitcnt_t)place);
  (is_less ? mpz_sub : mpz_add)(sum, sum, part);
  mpz_clear(part);
}

/* The place of a leading bit: anywhere, or at a border of f64 or of f32. */
static int leading_place(void) {
  static const int borders[] = {0,
                                52,
                                53,
                                2097,
                                2098,
                                RH_EXACT_F32_UNIT,
                                RH_EXACT_F32_UNIT + 23,
                                RH_EXACT_F32_UNIT + 24,
                                RH_EXACT_F32_UNIT + 276,
                                RH_EXACT_F32_UNIT + 277};
  int place = (int)below(HIGHEST);
  if (below(2)) place = borders[below(sizeof borders / sizeof *borders)] + (int)below(5) - 2;
  return place < 0 ? 0 : place > HIGHEST ? HIGHEST : place;
}

/* A significand of either type: random, all ones, or a power of two; then a half, or nearly. */
static void make(mpz_t sum) {
  int digits = below(2) ? 53 : 24, top = leading_place(), last = top - digits + 1;
  uint64_t ones = (UINT64_C(1) << digits) - 1, leading = (ones >> 1) + 1;
  uint64_t kept = below(3) == 0 ? ones : below(2) ? leading : leading | (random_bits() & ones);
  int unit = digits == 53 ? 0 : RH_EXACT_F32_UNIT;
  if (last < 0) {
    kept >>= -last;
    last = 0;
  }
  mpz_set_ui(sum, 0);
  add(sum, kept, last, 0);
  int half = (last < unit ? unit : last) - 1;
  if (below(4)) add(sum, 1, half, 0);
  if (half > 0 && below(2)) add(sum, 1, (int)below((uint64_t)half), (int)below(2));
  if (below(8) == 0) add(sum, random_bits(), leading_place() - 64, 0);
  mpz_fdiv_r_2exp(sum, sum, BITS - 1);
}

/* ---- Three ways to round one ---- */

/* Two's complement of the sum, and its magnitude on the side of its sign. */
static void take(const mpz_t whole, rh_exact_state *state, rh_exact_sum *sum) {
  uint64_t words[RH_EXACT_WORDS] = {0};
  mpz_t wrapped;
  *state = (rh_exact_state){.n = 2, .flags = RH_EXACT_ELEMENTS | RH_EXACT_OTHERS};
  mpz_init(wrapped);
  mpz_fdiv_r_2exp(wrapped, whole, BITS);
  mpz_export(state->words, NULL, -1, sizeof *words, 0, 0, wrapped);
  mpz_clear(wrapped);
  mpz_export(words, NULL, -1, sizeof *words, 0, 0, whole);
  *sum = (rh_exact_sum){.specials = {.n = 2, .has_others = 1}};
  rh_fixed *side = mpz_sgn(whole) < 0 ? &sum->negative : &sum->positive;
  for (int k = 0; k < RH_EXACT_WORDS; k++)
    if (words[k]) rh_fixed_add_shifted(side, words[k], RH_FIXED_F64_LOWEST + 64 * k);
}

static int same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static int same_float(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

static void compare(const mpz_t whole, mpfr_t exact) {
  rh_exact_state state;
  rh_exact_sum sum;
  take(whole, &state, &sum);
  mpfr_set_z_2exp(exact, whole, -1074, MPFR_RNDN);
  double wide = mpfr_get_d(exact, MPFR_RNDN), by_sdk = rh_exact_state_double(&state),
         by_host = (double)rh_exact_sum_rounded(&sum, RH_TYPE_f64);
  float narrow = mpfr_get_flt(exact, MPFR_RNDN), sdk_narrow = rh_exact_state_float(&state),
        host_narrow = (float)rh_exact_sum_rounded(&sum, RH_TYPE_f32);
  if (same_double(by_sdk, wide) && same_double(by_host, wide) && same_float(sdk_narrow, narrow) &&
      same_float(host_narrow, narrow))
    return;
  mpfr_printf("%Ra\n", exact);
  ck_abort_msg("MPFR has %a and %a, redhost/exact.h %a and %a, the host %a and %a", wide,
               (double)narrow, by_sdk, (double)sdk_narrow, by_host, (double)host_narrow);
}

CASES(rounding, .timeout = 100000)

TEST(three_programs_round_alike) {
  const char *states = getenv("REDHOST_TEST_STATES"), *from = getenv("REDHOST_TEST_SEED");
  uint64_t n = states ? strtoull(states, NULL, 0) : LEAST_STATES;
  if (from) seed = strtoull(from, NULL, 0);
  mpz_t whole;
  mpfr_t exact;
  mpz_init(whole);
  mpfr_init2(exact, BITS);
  for (uint64_t k = 0; k < n; k += 2) {
    make(whole);
    compare(whole, exact);
    mpz_neg(whole, whole);
    compare(whole, exact);
  }
  mpfr_clear(exact);
  mpz_clear(whole);
}

/* ---- What others publish, and the negative of each ---- */

/* The numbers of a line: the sum, and then the elements. */
static void try_vector(const double *numbers, uint64_t n, int sign, unsigned bits) {
  static rh_accumulator accumulator;
  rh_exact_state state = {0};
  double elements[16];
  int zeros = 1;
  for (uint64_t k = 0; k < n; k++) {
    elements[k] = sign * numbers[1 + k];
    zeros = zeros && elements[k] == 0 && signbit(elements[k]);
  }
  rh_accumulator_init(&accumulator, RH_TYPE_f64, 0, bits);
  rh_accumulator_add(&accumulator, elements, n);
  rh_accumulator_take(&accumulator, &state);
  double sum = rh_exact_state_double(&state), wanted = sign * numbers[0];
  if (wanted == 0) wanted = zeros ? -0.0 : 0.0;
  ck_assert_msg(same_double(sum, wanted) || (isnan(sum) && isnan(wanted)),
                "of %d elements, the first %a: %a instead of %a", (int)n, elements[0], sum, wanted);
}

TEST(published_sums) {
  char line[512];
  int tried = 0;
  FILE *file = fopen(PUBLISHED_SUMS, "r");
  ck_assert_ptr_nonnull(file);
  while (fgets(line, sizeof line, file)) {
    double numbers[17];
    uint64_t n = 0;
    if (*line == '#') continue;
    for (char *at = line, *end; n < 17 && (numbers[n] = strtod(at, &end), end != at); at = end) n++;
    for (unsigned bits = 128; n > 0 && bits <= 512; bits *= 2) {
      try_vector(numbers, n - 1, 1, bits);
      try_vector(numbers, n - 1, -1, bits);
    }
    tried += n > 0;
  }
  fclose(file);
  ck_assert_int_eq(tried, 205);
}
