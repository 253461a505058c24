#include "run.h"

rh_status rh_run_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_app *app,
                         const rh_job_spec *job, const rh_cl_device *device, int isolated,
                         rh_error *error) {
  rh_found found = {.path = (char *)(uintptr_t)job->plugin}; /* read-only */
  snprintf(found.name, sizeof found.name, "%s", job->strategy);
  *shared = (rh_local_shared){.context = app->context, .strict = 1, .what = job->operation.what};
  if (isolated)
    return rh_isolated_job(sampler, &app->context->options, job, device, rh_limit_s(app->typed),
                           error);
  return rh_local_sampler(sampler, shared, &found, job->settings, job->n_settings, error);
}

rh_bench_data rh_run_data(const rh_job_spec *job, const rh_array *array) {
  return (rh_bench_data){.op = job->operation.op,
                         .offsets = job->offsets,
                         .n = job->operation.n,
                         .elements = rh_array_data(array),
                         .region = &array->region,
                         .offset = array->offset_bytes};
}

rh_status rh_run_measure(rh_run_state *run, const rh_sampler *sampler, rh_error *error) {
  rh_run_report *report = &run->report;
  RH_TRY(rh_measure_quick(sampler, &report->opened, &run->app->context->options.reporter,
                          &report->quick, error));
  report->measured = 1;
  return RH_OK;
}

rh_status rh_run_once(const rh_app *app, const rh_job_spec *job, const rh_cl_device *device,
                      int isolated, const rh_array *array, rh_result *result, rh_error *error) {
  rh_local_shared shared;
  rh_sampler sampler;
  const rh_bench_data data = rh_run_data(job, array);
  RH_TRY(rh_run_sampler(&sampler, &shared, app, job, device, isolated, error));
  rh_status status = rh_sampler_once(&sampler, &data, result, error);
  sampler.finish(sampler.self);
  return status;
}
