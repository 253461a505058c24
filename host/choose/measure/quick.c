#include "measure.h"

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
