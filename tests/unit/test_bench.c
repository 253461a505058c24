/* host/choose/measure: statistics of samples, and the measuring of a point, with simulated
 * samplers. */
#include "../../host/tools/bench/bench.h"
#include "../suite/suite.h"

/* ---- Statistics ---- */

TEST(spread_of_samples) {
  const double samples[] = {5, 1, 3, 2, 4};
  rh_spread spread = rh_spread_of(samples, 5);
  ck_assert(spread.median == 3 && spread.q1 == 2 && spread.q3 == 4 && spread.mean == 3);
  ck_assert(spread.min == 1 && spread.max == 5 && spread.mad == 1);
  ck_assert(spread.samples == 5 && spread.outliers == 0);
  ck_assert_double_eq(samples[0], 5); /* the input is not reordered */
}

/* Ranks n/2 -+ 0.98 sqrt n: of 100 samples, counted from 0, the 40th and the 60th. */
TEST(interval_by_ranks) {
  double samples[100];
  for (int k = 0; k < 100; k++) samples[k] = 99 - k;
  rh_spread spread = rh_spread_of(samples, 100);
  ck_assert_double_eq(spread.ci_low, 40);
  ck_assert_double_eq(spread.ci_high, 60);
  ck_assert_double_eq(rh_spread_precision(&spread), 10 / 49.5);
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* The interval holds the true median in 95 of 100 samples, whatever the distribution: here one with
 * a long tail. */
TEST(interval_covers_the_median) {
  uint64_t state = 7;
  int covered = 0;
  enum { TRIES = 2000, N = 20 };
  for (int t = 0; t < TRIES; t++) {
    double samples[N];
    for (int k = 0; k < N; k++) samples[k] = -log(1 - uniform(&state)); /* median ln 2 */
    rh_spread spread = rh_spread_of(samples, N);
    covered += spread.ci_low <= log(2) && log(2) <= spread.ci_high;
  }
  ck_assert_int_ge(covered, TRIES * 94 / 100);
  ck_assert_int_le(covered, TRIES * 99 / 100);
}

TEST(outliers_are_counted) {
  double samples[21];
  for (int k = 0; k < 21; k++) samples[k] = 1 + 0.001 * (k % 5);
  samples[13] = 2;
  rh_spread spread = rh_spread_of(samples, 21);
  ck_assert_uint_eq(spread.outliers, 1);
  ck_assert_double_eq(spread.max, 2); /* and never dropped */
}

TEST(nothing_is_nothing) {
  rh_spread spread = rh_spread_of(NULL, 0);
  ck_assert_uint_eq(spread.samples, 0);
  ck_assert_double_eq(rh_spread_precision(&spread), 0);
}

TEST(copies_span_the_cache) {
  rh_bench_data data = {.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32), .n = 1000};
  rh_bench_copies(&data, 1 << 20, 128);
  ck_assert_uint_eq(data.stride, 4096); /* 4000 bytes, aligned */
  ck_assert_uint_eq(data.copies, 256);
  data.n = 1 << 20;
  rh_bench_copies(&data, 1 << 20, 128);
  ck_assert_uint_eq(data.copies, 1); /* larger than the cache by itself */
  data.n = 0;
  rh_bench_copies(&data, 1 << 20, 128);
  ck_assert_uint_ge(data.copies, 1);
}

/* ---- Simulated samplers ---- */

typedef struct fake {
  double seconds, jitter; /* of a sample; relative, uniform */
  double host_factor;     /* the host's clock reads so many times that; 0: 1.01 */
  float says;             /* the answer */
  float says_later;       /* from the 10th sample on; 0: the same */
  rh_status opens;        /* RH_OK, or what it fails with */
  int fails_at;           /* the k-th take fails; 0: none */
  uint64_t state;
  int takes, opens_seen, closes_seen, device_takes, host_takes, latency_takes;
  uint32_t last_batch;
} fake;

static rh_status fake_open(void *self, const rh_bench_data *data, rh_opened *opened,
                           rh_error *why) {
  fake *f = self;
  (void)data;
  *opened = (rh_opened){.launches = 1, .depth = 8};
  f->opens_seen++;
  return f->opens == RH_OK ? RH_OK : rh_fail(why, f->opens, "it does not open");
}

static rh_status fake_take(void *self, const rh_take *take, rh_taken *taken, rh_error *why) {
  fake *f = self;
  f->takes++;
  f->device_takes += take->kind == RH_TAKE_DEVICE;
  f->host_takes += take->kind == RH_TAKE_HOST;
  f->latency_takes += take->kind == RH_TAKE_LATENCY;
  if (take->kind == RH_TAKE_DEVICE) f->last_batch = take->batch;
  if (f->fails_at && f->takes == f->fails_at) return rh_fail(why, RH_E_PLUGIN, "it broke");
  taken->seconds = f->seconds * (1 + f->jitter * uniform(&f->state));
  if (take->kind != RH_TAKE_DEVICE) taken->seconds *= f->host_factor > 0 ? f->host_factor : 1.01;
  taken->stamped = take->kind == RH_TAKE_DEVICE;
  taken->result = (rh_result){.type = RH_TYPE_f32};
  taken->result.value.f = f->says_later != 0 && f->takes >= 10 ? f->says_later : f->says;
  return RH_OK;
}

static rh_status fake_close(void *self, rh_error *why) {
  (void)why;
  ((fake *)self)->closes_seen++;
  return RH_OK;
}

static rh_sampler sampler_of(fake *f, const char *name) {
  rh_sampler sampler = {.self = f, .open = fake_open, .take = fake_take, .close = fake_close};
  snprintf(sampler.name, sizeof sampler.name, "%s", name);
  f->state = 99;
  return sampler;
}

static int turns, stop_at;
static rh_status on_turn(void *user, const char *sampler, rh_error *why) {
  (void)user;
  (void)sampler;
  turns++;
  return !stop_at || turns < stop_at ? RH_OK : rh_fail(why, RH_E_CANCELLED, "stopped");
}

static const float four[] = {1, 2, 3, 4}; /* 10 */

static rh_row rows[3], *const row = rows; /* of the last measurement */

static const char *checked(const char *key) {
  return json_string_value(json_object_get(json_object_get(row->facts, "check"), key));
}

static rh_status measure(fake *fakes, uint32_t n, rh_bench_rules rules, const double *expected) {
  static const char *const names[] = {"one", "two", "three"};
  rh_sampler samplers[3];
  static rh_context context;
  const rh_bench_settings settings = {.seed = 5};
  rh_stage stage = {
      .context = &context, .settings = &settings, .bench_device.calibration.read_peak = 64e6};
  rh_point point = {.data = {.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32),
                             .n = 4,
                             .elements = four,
                             .copies = 1}};
  for (uint32_t k = 0; k < n; k++) {
    rh_row_finish(&rows[k]);
    samplers[k] = sampler_of(&fakes[k], names[k]);
  }
  must(rh_reference_of_array(&point.reference, point.data.op, four, 4, 1, NULL, &error));
  const rh_bench_spec spec = {.stage = &stage,
                              .point = &point,
                              .rules = &rules,
                              .samplers = samplers,
                              .n = n,
                              .expected_s = expected,
                              .on_turn = on_turn};
  turns = 0;
  return rh_bench_point(&spec, rows, &error);
}

static const rh_bench_rules usual = {0.005, 2, 20, RH_MOST_SAMPLES, 0};

/* ---- Points ---- */

TEST(steady_one_stops_at_the_least) {
  fake f = {.seconds = 1e-6, .jitter = 0.002, .says = 10};
  must(measure(&f, 1, usual, NULL));
  ck_assert_uint_eq(row->status, RH_ROW_ok);
  ck_assert_uint_eq(row->time.samples, 20);
  ck_assert_uint_eq(row->n_rounds, 5);
  ck_assert_uint_eq(row->n_raw, 20);
  ck_assert_double_eq_tol(row->time.median, 1e-6, 3e-9);
  /* Not the 1000 of a millisecond: the driver's queue is short. */
  ck_assert(row->batch == 256 && f.last_batch == 256);
  ck_assert_int_eq(f.host_takes, 5); /* the cross-check, once a round */
  ck_assert_double_eq_tol(row->peak_fraction, 16 / 1e-6 / 64e6, 0.01);
  ck_assert_uint_eq(row->flags, 0);
  ck_assert_str_eq(checked("value"), "10");
  ck_assert_str_eq(checked("reference"), "10");
  ck_assert_int_eq(f.opens_seen, 1);
  ck_assert_int_eq(f.closes_seen, 1);
}

TEST(scattered_one_goes_on) {
  fake f = {.seconds = 1e-6, .jitter = 0.08, .says = 10};
  must(measure(&f, 1, usual, NULL));
  ck_assert_uint_gt(row->time.samples, 40);
  ck_assert_double_le((row->time.ci_high - row->time.ci_low) / 2, 0.0051 * row->time.median);
}

/* A point that takes longer than --max-time stops, with a note. */
TEST(hopeless_one_is_flagged) {
  fake f = {.seconds = 1e-6, .jitter = 5, .says = 10};
  rh_bench_rules rules = usual;
  rules.max_time_s = 1e-5; /* of this process's own time: each take costs less than a microsecond */
  must(measure(&f, 1, rules, NULL));
  ck_assert_uint_eq(row->status, RH_ROW_ok);
  ck_assert_uint_ne(row->flags & RH_FLAG_noisy, 0);
  ck_assert_uint_ne(row->flags & RH_FLAG_timed_out, 0);
}

TEST(batches_last_a_millisecond) {
  const struct {
    double seconds;
    uint32_t batch;
  } cases[] = {{1e-4, 10}, {3e-3, 2}, {6e-3, 1}};
  for (int k = 0; k < 3; k++) {
    fake f = {.seconds = cases[k].seconds, .says = 10};
    must(measure(&f, 1, usual, NULL));
    ck_assert_uint_eq(row->batch, cases[k].batch);
  }
}

TEST(wrong_one_has_no_time) {
  fake f[2] = {{.seconds = 1e-6, .says = 11}, {.seconds = 1e-6, .says = 10}};
  must(measure(f, 2, usual, NULL));
  ck_assert_uint_eq(rows[0].status, RH_ROW_wrong);
  ck_assert_uint_eq(rows[0].time.samples, 0);
  assert_says(rows[0].reason, "returned 11, expected 10");
  ck_assert_int_eq(f[0].closes_seen, 1);
  ck_assert_uint_eq(rows[1].status, RH_ROW_ok); /* the other goes on */
}

/* Every timed answer is checked, not only the first. */
TEST(one_that_turns_wrong_is_caught) {
  fake f = {.seconds = 1e-6, .says = 10, .says_later = 9};
  must(measure(&f, 1, usual, NULL));
  ck_assert_uint_eq(row->status, RH_ROW_wrong);
  assert_says(row->reason, "returned 9");
}

TEST(failures_stay_with_who_fails) {
  fake f[3] = {{.opens = RH_DECLINED, .says = 10},
               {.seconds = 1e-6, .says = 10, .fails_at = 12},
               {.seconds = 1e-6, .says = 10}};
  must(measure(f, 3, usual, NULL));
  ck_assert_uint_eq(rows[0].status, RH_ROW_unsupported);
  ck_assert_str_eq(rows[0].reason, "it does not open");
  ck_assert_uint_eq(rows[1].status, RH_ROW_failed);
  ck_assert_str_eq(rows[1].reason, "it broke");
  ck_assert_uint_eq(rows[2].status, RH_ROW_ok);
  for (int k = 0; k < 3; k++) ck_assert_int_eq(f[k].closes_seen, 1);
}

TEST(too_slow_is_not_tried) {
  fake f[2] = {{.seconds = 1e-6, .says = 10}, {.seconds = 1e-6, .says = 10}};
  const double expected[] = {5, 1};
  must(measure(f, 2, usual, expected));
  ck_assert_uint_eq(rows[0].status, RH_ROW_skipped);
  ck_assert_int_eq(f[0].opens_seen, 0);
  ck_assert_uint_eq(rows[1].status, RH_ROW_ok);
}

/* A device clock that runs fast or slow compared with the host's is not trusted. */
TEST(clock_that_lies_is_not_believed) {
  const double factors[] = {0.8, 1.5};
  for (int k = 0; k < 2; k++) {
    fake f = {.seconds = 1e-4, .says = 10, .host_factor = factors[k]};
    must(measure(&f, 1, usual, NULL));
    ck_assert_uint_ne(row->flags & RH_FLAG_host_timer, 0);
    ck_assert_double_eq_tol(row->time.median, 1e-4 * factors[k], 1e-9);
  }
  fake honest = {.seconds = 1e-4, .says = 10, .host_factor = 1.03};
  must(measure(&honest, 1, usual, NULL));
  ck_assert_uint_eq(row->flags, 0);
}

TEST(interrupt_keeps_what_is_done) {
  fake f[2] = {{.opens = RH_DECLINED}, {.seconds = 1e-6, .jitter = 0.3, .says = 10}};
  stop_at = 6;
  rh_status status = measure(f, 2, usual, NULL);
  stop_at = 0;
  ck_assert_int_eq(status, RH_E_CANCELLED);
  ck_assert_uint_eq(rows[0].status, RH_ROW_unsupported);
  ck_assert_uint_eq(rows[1].status, RH_ROW_skipped);
  ck_assert_str_eq(rows[1].reason, "interrupted");
  ck_assert_int_eq(f[1].closes_seen, 1);
}

TEST(once_is_once) {
  fake f = {.seconds = 1e-6, .says = 10};
  rh_bench_rules rules = usual;
  rules.once = 1;
  must(measure(&f, 1, rules, NULL));
  ck_assert_int_eq(f.takes, 1);
  ck_assert_int_eq(f.latency_takes, 1);
  ck_assert_uint_eq(row->status, RH_ROW_ok);
  ck_assert_uint_eq(row->time.samples, 0);
  ck_assert_str_eq(checked("value"), "10");
}

TEST(least_and_most_samples) {
  fake f = {.seconds = 1e-6, .jitter = 3, .says = 10};
  rh_bench_rules rules = usual;
  rules.min_samples = 60;
  rules.max_samples = 64;
  must(measure(&f, 1, rules, NULL));
  ck_assert_uint_ge(row->time.samples, 60);
  ck_assert_uint_le(row->time.samples, 68);
}
