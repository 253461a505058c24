#include "run_sampler.h"
#include "../core/base/error.h"

#include <stdio.h>

static rh_status isolated_sampler(rh_sampler *sampler, const rh_run_spec *spec,
                                  const rh_found *found, rh_error *error) {
  const rh_job_spec *job = spec->job;
  rh_custom *const own[] = {(rh_custom *)(uintptr_t)job->operation.op}; /* read-only */
  const rh_isolated_spec isolated = {.options = &spec->context->options,
                                     .found = found,
                                     .device = spec->device,
                                     .settings = job->settings,
                                     .n_settings = job->n_settings,
                                     .own = own,
                                     .n_own = job->operation.op->is_custom != 0,
                                     .strict = 1,
                                     .what = job->operation.what,
                                     .role = "--work",
                                     .limit_s = spec->timeout_s};
  return rh_isolated_sampler(sampler, &isolated, error);
}

rh_status rh_run_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_run_spec *spec,
                         rh_error *error) {
  const rh_job_spec *job = spec->job;
  rh_found found = {.path = (char *)(uintptr_t)job->plugin}; /* read-only */
  snprintf(found.name, sizeof found.name, "%s", job->strategy);
  *shared = (rh_local_shared){.context = spec->context, .strict = 1, .what = job->operation.what};
  return spec->isolated
             ? isolated_sampler(sampler, spec, &found, error)
             : rh_local_sampler(sampler, shared, &found, job->settings, job->n_settings, error);
}

rh_bench_data rh_run_data(const rh_job_spec *job, const rh_array *array) {
  return (rh_bench_data){.op = job->operation.op,
                         .offsets = job->offsets,
                         .n = job->operation.n,
                         .elements = rh_array_data(array),
                         .region = &array->region,
                         .offset = array->offset_bytes};
}

rh_status rh_run_once(const rh_run_spec *spec, const rh_array *array, rh_result *result,
                      rh_error *error) {
  rh_local_shared shared;
  rh_sampler sampler;
  const rh_bench_data data = rh_run_data(spec->job, array);
  RH_TRY(rh_run_sampler(&sampler, &shared, spec, error));
  rh_status status = rh_sampler_once(&sampler, &data, result, error);
  sampler.finish(sampler.self);
  return status;
}
