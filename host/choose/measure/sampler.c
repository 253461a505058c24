#include "measure.h"

const char *rh_phase_words(rh_phase phase) {
#define RH_X(name, words) words,
  static const char *const words[] = {RH_PHASE_LIST(RH_X)};
#undef RH_X
  return words[phase];
}

uint64_t rh_bench_data_bytes(const rh_bench_data *data) {
  return data->op->is_custom ? data->custom_bytes : data->n * rh_type_size(data->op->type);
}

rh_status rh_sampler_once(const rh_sampler *sampler, const rh_bench_data *data, rh_result *result,
                          rh_error *error) {
  static const rh_take once = {RH_TAKE_LATENCY, 1};
  rh_opened opened;
  rh_taken taken;
  rh_status status = sampler->open(sampler->self, data, &opened, error);
  if (status == RH_OK) status = sampler->take(sampler->self, &once, &taken, error);
  rh_status closed = sampler->close(sampler->self, status == RH_OK ? error : NULL);
  if (status == RH_OK) *result = taken.result;
  return status == RH_OK ? closed : status;
}

/* ---- Statistics ---- */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Interpolates linearly between the two nearest ranks (Hyndman and Fan's type 7). */
static double quantile(const double *sorted, uint32_t n, double p) {
  double rank = p * (n - 1);
  uint32_t below = (uint32_t)rank;
  double rest = rank - below;
  return below + 1 < n ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

/* The ranks n/2 -+ 0.98 sqrt(n) enclose the population's median with 95 % confidence for any
 * distribution. */
static void interval(rh_spread *spread, const double *sorted, uint32_t n) {
  double half = 0.98 * sqrt(n);
  int low = (int)floor(n / 2.0 - half), high = (int)ceil(n / 2.0 + half);
  spread->ci_low = sorted[low < 0 ? 0 : low];
  spread->ci_high = sorted[high > (int)n - 1 ? (int)n - 1 : high];
}

/* Modified z-score (Iglewicz and Hoaglin), with the MAD scaled to a normal distribution's
 * deviation. */
static uint32_t count_outliers(const double *samples, uint32_t n, double median, double mad) {
  uint32_t outliers = 0;
  double deviation = 1.4826 * mad;
  if (deviation <= 0) return 0;
  for (uint32_t k = 0; k < n; k++) outliers += fabs(samples[k] - median) / deviation > 5;
  return outliers;
}

rh_spread rh_spread_of(const double *samples, uint32_t n) {
  rh_spread spread = {.samples = n};
  double sum = 0;
  RH_FREED(double) room = n ? malloc(n * sizeof *room) : NULL;
  if (!room) return (rh_spread){0};
  memcpy(room, samples, n * sizeof *room);
  qsort(room, n, sizeof *room, ascending);
  spread.min = room[0];
  spread.max = room[n - 1];
  spread.median = quantile(room, n, 0.5);
  spread.q1 = quantile(room, n, 0.25);
  spread.q3 = quantile(room, n, 0.75);
  interval(&spread, room, n);
  for (uint32_t k = 0; k < n; k++) {
    sum += room[k];
    room[k] = fabs(room[k] - spread.median);
  }
  spread.mean = sum / n;
  qsort(room, n, sizeof *room, ascending);
  spread.mad = quantile(room, n, 0.5);
  spread.outliers = count_outliers(samples, n, spread.median, spread.mad);
  return spread;
}

double rh_spread_precision(const rh_spread *spread) {
  return spread->median > 0 ? (spread->ci_high - spread->ci_low) / 2 / spread->median : 0;
}

double rh_spread_iqr(const rh_spread *spread) {
  return spread->median > 0 ? (spread->q3 - spread->q1) / spread->median : 0;
}

/* ---- A quick estimate ---- */

enum { MOST_IN_A_BATCH = 128 };
static const double budget_s = 0.25; /* for each of the two series */
static const double batch_s = 1e-3;  /* much longer than the clock's step and one launch */

rh_status rh_measure_series(const rh_sampler *sampler, const rh_series *series,
                            const rh_reporter *reporter, rh_spread *spread, rh_error *error) {
  double samples[RH_MOST_IN_A_SERIES], start = rh_now();
  uint32_t n = 0;
  rh_taken taken;
  while (n < series->most && (n == 0 || rh_now() - start < series->budget_s)) {
    RH_TRY(sampler->take(sampler->self, &series->how, &taken, error));
    samples[n++] = taken.seconds;
    RH_TRY(rh_progress(reporter, "measuring", n, 0, error));
  }
  *spread = rh_spread_of(samples, n);
  return RH_OK;
}

rh_status rh_measure_quick(const rh_sampler *sampler, const rh_opened *opened,
                           const rh_reporter *reporter, rh_quick *quick, rh_error *error) {
  rh_series series = {{RH_TAKE_LATENCY, 1}, RH_MOST_IN_A_SERIES, budget_s};
  RH_TRY(rh_measure_series(sampler, &series, reporter, &quick->latency, error));
  quick->time = quick->latency;
  if (opened->finishes_on_host) return RH_OK; /* each run waits, so there is nothing to batch */
  double wanted = fmin(fmax(2, ceil(batch_s / quick->latency.median)), MOST_IN_A_BATCH);
  series.how = (rh_take){RH_TAKE_HOST, (uint32_t)wanted};
  return rh_measure_series(sampler, &series, reporter, &quick->time, error);
}
