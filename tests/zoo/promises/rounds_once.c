/* V42, V43 and V51: sums that are rounded once, but for one case. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_ROUNDS_ONCE */
#include "../right.h"

#include <math.h>
#include <redhost/exact.h>
#include <string.h>

typedef struct sums {
  const rh_op *op;
  rh_type type;
  rh_accumulator accumulator;
} sums;

QUERY(sums) {
  if (problem->op->id != RH_OP_sum) return rh_decline(answer, RH_WHY_OP, "sums only");
  if (problem->type < RH_TYPE_f16) return rh_decline(answer, RH_WHY_TYPE, "floats only");
  answer->finishes_on_host = 1;
  return RH_OK;
}

SETUP(sums) {
  sums *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  self->op = problem->op;
  self->type = problem->type;
  *instance = self;
  return RH_OK;
}

static void exact(sums *self, const rh_run *run, uint64_t first, uint64_t n,
                  rh_exact_state *state) {
  const char *input = run->host_input;
  memset(state, 0, sizeof *state);
  rh_accumulator_init(&self->accumulator, self->type, 0, 0);
  rh_accumulator_add(&self->accumulator, input + (run->first + first) * self->op->element_size, n);
  rh_accumulator_take(&self->accumulator, state);
}

static double rounded(const sums *self, const rh_exact_state *state) {
  return self->type == RH_TYPE_f64 ? rh_exact_state_double(state)
                                   : (double)rh_exact_state_float(state);
}

static rh_status put(const sums *self, const rh_run *run, double sum) {
  float narrow = (float)sum;
  if (run->n == 0) memcpy(run->host_result, self->op->identity, self->op->value_size);
  else if (self->type == RH_TYPE_f64) memcpy(run->host_result, &sum, sizeof sum);
  else memcpy(run->host_result, &narrow, sizeof narrow);
  return RH_OK;
}

/* The next number of the type, away from 0. */
static double further(const sums *self, double sum) {
  union {
    float narrow;
    double wide;
    uint64_t bits;
  } number = {0};
  if (self->type == RH_TYPE_f64) number.wide = sum;
  else number.narrow = (float)sum;
  number.bits++;
  return self->type == RH_TYPE_f64 ? number.wide : (double)number.narrow;
}

/* What a strategy makes of the state of the exact sum. */
#define RIGHT_AS(name_, summary_)                                                                  \
  static double name_##_of(sums *self, const rh_run *run, rh_exact_state *state);                  \
  BUT_RUN(name_, .summary = summary_, .device_kinds = RH_DEVICE_HOST, .promises = RH_ROUNDS_ONCE,  \
          .determinism = RH_BITS_SAME_EVERYWHERE, .query = sums_query, .setup = sums_setup) {      \
    rh_exact_state state;                                                                          \
    exact(instance, run, 0, run->n, &state);                                                       \
    return put(instance, run, name_##_of(instance, run, &state));                                  \
  }                                                                                                \
  static double name_##_of(sums *self, UNUSED const rh_run *run, rh_exact_state *state)

/* V43: negative sums. */
RIGHT_AS(negatives_too_far, "negative sums are one unit of the last digit too far from 0") {
  double sum = rounded(self, state);
  return sum < 0 ? further(self, sum) : sum;
}

/* V43: what is next to half of a digit, away from 0, is rounded as half of one should not be. */
RIGHT_AS(ties_away, "ties go away from 0") {
  rh_exact_state tiny = {0};
  double sum = rounded(self, state), other = sum < 0 ? -0x1p-1074 : 0x1p-1074;
  rh_accumulator_init(&self->accumulator, RH_TYPE_f64, 0, 0);
  rh_accumulator_add(&self->accumulator, &other, 1);
  rh_accumulator_take(&self->accumulator, &tiny);
  rh_exact_state_merge(state, &tiny);
  return fabs(sum) < 0x1p-900 ? sum : rounded(self, state);
}

/* V42: {MAX, MAX, -MAX} is infinite. */
RIGHT_AS(overflows_on_the_way, "a part of the sum that overflows stays infinite") {
  rh_exact_state part;
  double sum = rounded(self, state);
  int is_infinite = 0;
  for (uint64_t n = 1; n < run->n && n < 64 && !is_infinite; n++) {
    exact(self, run, 0, n, &part);
    is_infinite = isinf(rounded(self, &part));
  }
  return is_infinite && isfinite(sum) ? (sum < 0 ? -HUGE_VAL : HUGE_VAL) : sum;
}

/* V51: zeros. */
RIGHT_AS(loses_minus_zero, "the sum of nothing but -0 is 0") { return rounded(self, state) + 0.0; }

/* V43: two halves meet, and what overflows a word does not reach the next one. */
RIGHT_AS(loses_a_carry, "a carry between words of the state is lost") {
  rh_exact_state other;
  exact(self, run, 0, run->n / 2, state);
  exact(self, run, run->n / 2, run->n - run->n / 2, &other);
  for (int k = 0; k < RH_EXACT_WORDS; k++) state->words[k] += other.words[k];
  state->flags |= other.flags;
  return rounded(self, state);
}

RIGHT_PLUGIN;
