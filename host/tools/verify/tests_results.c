/* V41 to V48, V51 and V53: results.  They must be exact where every order of operations is exact,
 * and within a proved bound elsewhere. */
#include "internal.h"

/* Around powers of two, where trees and tiles end, and two primes. */
static const uint64_t small_sizes[] = {1,  2,  3,   5,   16,  17,  31,  33, 63,
                                       64, 65, 127, 255, 256, 257, 511, 513};
#define SIZES_BELOW_LARGE                                                                          \
  1, 2, 3, 4, 5, 7, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513,   \
      1023, 1024, 1025, 2047, 2049, 4095, 4097, 8191, 8193
enum { LARGEST = 1000003 };
static const uint64_t sizes[] = {SIZES_BELOW_LARGE, 65537, LARGEST, 0};

RH_PAIRS_TEST(41, "n = 0 gives the identity", 1003, 6, NULL, RH_RUN_TEST(0.5, 0.1)) {
  RH_TRY(rh_rig_case(rig, "hash", seed, 0, 0));
  RH_TRY(rh_rig_case(rig, "hash", seed, 1003, 0));
  return rh_rig_case(rig, "hash", seed, 0, RH_AROUND);
}

/* ---- V42, V43 ---- */

/* Hashed data show any element that is lost, doubled or misplaced; a single nonzero element
 * shows faults at the edges.  Floats of these kinds add exactly in every order.  Products of floats
 * must not overflow on the way.  At the bounds of the type, partial sums are largest, and the least
 * integer cannot be negated. */
RH_PAIRS_TEST(42, "tier 1: exact for every operator and type", trial->quick ? 65537 : LARGEST, 7,
              NULL, RH_RUN_TEST(12, 0.3)) {
  RH_TRY(rh_rig_cases(rig, seed, RH_KINDS("hash", "onehot"), sizes, 1, 3));
  if (!rig->trial->quick)
    RH_TRY(rh_rig_cases(rig, seed, RH_KINDS("units", "equal"), RH_SIZES(SIZES_BELOW_LARGE), 1, 3));
  if (rig->op == RH_OP_prod) RH_TRY(rh_rig_cases(rig, seed, RH_KINDS("swing"), sizes, 1, 3));
  return rh_rig_cases(rig, seed, RH_KINDS("least", "greatest", "ends", "two"),
                      RH_SIZES(1, 2, 7, 8, 9, 16, 17, 33, 63, 257, 1003, 4097), 1, 3);
}

static int is_rounded(rh_pair pair) { return !(rh_op_flags(pair.op, pair.type) & RH_OP_EXACT); }

RH_PAIRS_TEST(43, "tier 2: within the bound of the declared depth", trial->quick ? 65537 : LARGEST,
              3, is_rounded, RH_RUN_TEST(1, 0.1)) {
  RH_TRY(rh_rig_cases(rig, seed, RH_KINDS("uniform", "cancel"), sizes, 1, 1));
  if (rig->trial->quick) return RH_OK;
  return rh_rig_cases(rig, seed, RH_KINDS("loguniform", "descending", "ramp"), sizes, 1, 1);
}

/* ---- V44, V45 ---- */

/* A smaller run must not be affected by what a larger one left in scratch memory. */
static rh_status smaller(rh_rig *rig, uint64_t seed) {
  for (size_t k = RH_COUNT(sizes) - 1; k-- > 0;)
    if (sizes[k] <= rig->max_n) RH_TRY(rh_rig_case(rig, "hash", seed + k, sizes[k], 0));
  for (size_t k = 0; k < RH_COUNT(small_sizes); k++) {
    RH_TRY(rh_rig_case(rig, "hash", seed + k, rig->max_n, 0));
    RH_TRY(rh_rig_case(rig, "hash", seed + k, small_sizes[k], 0));
  }
  return RH_OK;
}

/* Work that is divided by max_n where n is less: whole and other parts of it, and a little less. */
static rh_status parts_of_most(rh_rig *rig, uint64_t seed) {
  static const uint64_t less[] = {0, 1, 2, 3, 7, 16, 31, 33, 63, 64, 65, 127, 129, 255, 257, 1000};
  static const uint64_t by[] = {2, 3, 5, 8, 10, 16, 64};
  const uint64_t most = rig->max_n;
  for (size_t k = 0; k < RH_COUNT(less); k++)
    if (less[k] <= most) RH_TRY(rh_rig_case(rig, "hash", seed + k, most - less[k], 0));
  for (size_t k = 0; k < RH_COUNT(by); k++)
    for (uint64_t part = 1; part < by[k] && part < 8; part++) {
      uint64_t n = most / by[k] * part;
      for (uint64_t beside = 0; beside < 3; beside++)
        RH_TRY(rh_rig_case(rig, "hash", seed + part, n + beside - 1, 0));
    }
  return RH_OK;
}

RH_TEST(44, "a smaller n after a larger one, and any part of the most", RH_RUN_TEST(4, 0.3)) {
  static const uint64_t most[] = {4096, 1000, 257, 65536, 20011};
  RH_TRY(rh_try_pairs(trial, 20011, trial->quick ? 2 : 8, NULL, NULL, smaller));
  for (size_t k = 0; k < RH_COUNT(most); k++)
    RH_TRY(rh_try_pairs(trial, most[k], trial->quick ? 1 : 8, NULL, NULL, parts_of_most));
  return RH_OK;
}

RH_PAIRS_TEST(45, "the range may begin anywhere", 4099, 4, NULL, RH_RUN_TEST(1, 0.1)) {
  for (uint64_t first = 0; first <= 17; first++) {
    RH_TRY(rh_rig_case(rig, "hash", seed + first, 1003, first));
    RH_TRY(rh_rig_case(rig, "hash", seed + first, 5, first));
  }
  return rh_rig_case(rig, "hash", seed, 4099, RH_AROUND);
}

/* ---- V46 to V48 ---- */

static rh_status untouched(rh_rig *rig, uint64_t seed,
                           rh_status (*check)(rh_fixture *place, rh_error *error)) {
  for (size_t k = 0; k < RH_COUNT(small_sizes); k++) {
    RH_TRY(rh_rig_reduce(rig, "hash", seed + k, small_sizes[k], k));
    RH_TRY(check(rig->place, rig->error));
  }
  RH_TRY(rh_rig_reduce(rig, "hash", seed, rig->max_n, 0));
  return check(rig->place, rig->error);
}

RH_PAIRS_TEST(46, "the input is not written", 20011, 3, NULL, RH_RUN_TEST(0.8, 0.1)) {
  return untouched(rig, seed, rh_fixture_check_input);
}

/* Wide enough around the result for stray writes of a work-item, a group or a whole launch. */
enum { NEIGHBOURS = 4096 };

RH_PAIRS_TEST(47, "writes its result and nothing next to it", 20011, 4, NULL,
              RH_RUN_TEST(0.8, 0.1)) {
  static const uint64_t at[] = {NEIGHBOURS, 1, 0, 2, 257, 2 * NEIGHBOURS};
  RH_TRY(rh_fixture_make(&rig->own, rig->session, &rig->row, NULL, rig->own.elements,
                         2 * NEIGHBOURS + 1, rig->error));
  for (size_t k = 0; k < RH_COUNT(at); k++) {
    RH_TRY(rh_fixture_aim(&rig->own, at[k], rig->error));
    RH_TRY(untouched(rig, seed + k, rh_fixture_check_result));
  }
  return RH_OK;
}

/* Puts the range between other bytes: a read outside it changes the result. */
RH_PAIRS_TEST(48, "elements outside the range do not matter", 1009, 6, NULL, RH_RUN_TEST(1, 0.1)) {
  _Alignas(16) unsigned char first[16];
  for (size_t k = 0; k < RH_COUNT(small_sizes); k++) {
    uint64_t n = small_sizes[k];
    rig->poison = 0xAA;
    RH_TRY(rh_rig_reduce(rig, "hash", seed + k, n, RH_AROUND));
    memcpy(first, rig->value, sizeof first);
    rig->poison = 0x7B;
    RH_TRY(rh_rig_reduce(rig, "hash", seed + k, n, RH_AROUND));
    if (!rh_rig_gave(rig, first))
      return rh_trial_fail(rig->trial,
                           "%s of %s, n = %llu: memory around the range changes the result",
                           rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)n);
  }
  return RH_OK;
}

/* ---- V51 ---- */

static int is_float(rh_pair pair) { return rh_type_is_float(pair.type); }

RH_PAIRS_TEST(51, "NaN, infinities, zeros of both signs, subnormals", 4097, 6, is_float,
              RH_RUN_TEST(0.7, 0.3)) {
  return rh_rig_cases(rig, seed, RH_KINDS("nan", "zeros", "infs", "subnormal", "huge"),
                      RH_SIZES(1, 2, 33, 257, 1003, 4097), 3, 1);
}

/* ---- V53 ---- */

/* The smallest n that still fails, found by bisection. */
static rh_status minimise(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n,
                          uint64_t first) {
  uint64_t low = 0; /* is right */
  while (low + 1 < n) {
    uint64_t middle = low + (n - low) / 2;
    if (rh_rig_case(rig, kind, seed, middle, first) == RH_E_WRONG) n = middle;
    else low = middle;
  }
  return rh_rig_case(rig, kind, seed, n, first);
}

enum { MOST_RANDOM = 100003, CASES_PER_PAIR = 200 };

/* The time allows so many cases, and at least a minimum, which takes longer on a busy machine. */
typedef struct budget {
  double until, latest;
  uint32_t least, done;
} budget;

static int is_spent(const budget *b) {
  double now = rh_now();
  return now >= b->latest || (now >= b->until && b->done >= b->least);
}

static rh_status random_cases(rh_rig *rig, uint64_t *state, budget *b) {
  const char *const *kinds = rh_array_kinds();
  uint32_t n_kinds = 0;
  while (kinds[n_kinds]) n_kinds++;
  for (int k = 0; k < CASES_PER_PAIR && !is_spent(b); k++, b->done++) {
    const char *kind = kinds[rh_random_next(state) % n_kinds];
    uint64_t seed = rh_random_next(state) >> 1, first = rh_random_next(state) % RH_AROUND;
    uint64_t bits = rh_random_next(state) % 18; /* of n, which is uniform in the magnitude */
    uint64_t n = rh_random_next(state) & (((uint64_t)1 << (bits + 1)) - 1);
    if (n > rig->max_n) n = rig->max_n;
    rh_status status = rh_rig_case(rig, kind, seed, n, first);
    if (status == RH_E_WRONG && n > 1) status = minimise(rig, kind, seed, n, first);
    RH_TRY(status);
  }
  return RH_OK;
}

RH_TEST(53, "random cases", RH_RUN_TEST(30, 0.5)) {
  rh_pairs pairs;
  uint64_t state = trial->seed;
  double now = rh_now(), length_s = trial->quick ? 0.5 : 30;
  budget b = {
      .until = now + length_s, .latest = now + 10 * length_s, .least = trial->quick ? 200 : 2000};
  /* Building a program for each pair takes most of a quick run's time. */
  RH_TRY(rh_served_pairs(trial, MOST_RANDOM, 4, &pairs));
  for (uint32_t k = 0; !is_spent(&b); k++) {
    RH_FINISHED(rh_rig) rig;
    rh_pair pair = pairs.list[(trial->quick ? k : rh_random_next(&state)) % pairs.n];
    RH_TRY(rh_rig_open(&rig, trial, pair, MOST_RANDOM, NULL));
    RH_TRY(random_cases(&rig, &state, &b));
  }
  return RH_OK;
}
