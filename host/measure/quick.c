#include "quick.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/report.h"
#include "../cl/status.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 21, MOST_IN_A_BATCH = 128 };
static const double budget_s = 0.25; /* for each of the two series */
static const double batch_s = 1e-3;  /* long against the clock's step and one launch */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

rh_median rh_median_of(double *samples, uint32_t n) {
  qsort(samples, n, sizeof *samples, ascending);
  double median = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  /* Ranks n/2 -+ 0.98 sqrt(n) enclose the median of the population in 95 of 100 cases. */
  double half = 0.98 * sqrt(n);
  int low = (int)floor(n / 2.0 - half), high = (int)ceil(n / 2.0 + half);
  if (low < 0) low = 0;
  if (high > (int)n - 1) high = (int)n - 1;
  double width = (samples[high] - samples[low]) / 2;
  return (rh_median){median, median > 0 ? width / median : 0, n};
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
  *latency = rh_median_of(samples, n);
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
  *time = rh_median_of(samples, n);
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
