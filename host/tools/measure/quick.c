#include "quick.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/cl/status.h"
#include "stats.h"

#include <math.h>

enum { SAMPLES = 21, MOST_IN_A_BATCH = 128 };
static const double budget_s = 0.25; /* for each of the two series */
static const double batch_s = 1e-3;  /* long against the clock's step and one launch */

/* At most SAMPLES of them. */
static rh_median median_of(const double *samples, uint32_t n) {
  double room[SAMPLES];
  rh_spread spread = rh_spread_of(samples, n, room);
  return (rh_median){spread.median, rh_spread_precision(&spread), n};
}

static rh_status measure_latency(rh_job *job, rh_median *latency, rh_error *error) {
  double samples[SAMPLES], start = rh_now();
  uint32_t n = 0;
  rh_result result;
  while (n < SAMPLES && (n == 0 || rh_now() - start < budget_s)) {
    double before = rh_now();
    RH_TRY(rh_job_run(job, &result, error));
    samples[n++] = rh_now() - before;
    RH_TRY(rh_progress(&job->redhost->options.reporter, "measuring", n, 0, error));
  }
  *latency = median_of(samples, n);
  return RH_OK;
}

static rh_status run_batch(rh_job *job, uint32_t batch, rh_error *error) {
  for (uint32_t k = 0; k < batch; k++)
    RH_TRY(rh_instance_run(job->instance, &job->data, job->spec.n, error));
  RH_CL_TRY(error, clFinish(job->instance_spec.session->queue), "waiting for the device");
  return RH_OK;
}

static rh_status measure_batches(rh_job *job, uint32_t batch, rh_median *time, rh_error *error) {
  double samples[SAMPLES], start = rh_now();
  uint32_t n = 0;
  while (n < SAMPLES && (n == 0 || rh_now() - start < budget_s)) {
    double before = rh_now();
    RH_TRY(run_batch(job, batch, error));
    samples[n++] = (rh_now() - before) / batch;
    RH_TRY(rh_progress(&job->redhost->options.reporter, "measuring", n, 0, error));
  }
  *time = median_of(samples, n);
  return RH_OK;
}

rh_status rh_measure_quick(rh_job *job, rh_quick *quick, rh_error *error) {
  *quick = (rh_quick){.batch = 1};
  RH_TRY(measure_latency(job, &quick->latency, error));
  quick->time = quick->latency;
  if (job->answer.finishes_on_host) return RH_OK; /* each run waits: there is nothing to batch */
  double wanted = ceil(batch_s / quick->latency.seconds);
  quick->batch = wanted < 2 ? 2 : wanted > MOST_IN_A_BATCH ? MOST_IN_A_BATCH : (uint32_t)wanted;
  return measure_batches(job, quick->batch, &quick->time, error);
}
