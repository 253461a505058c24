/* redhost --merge FILE... */
#include "run.h"

static rh_status merge_files(rh_run_state *run, rh_error *error) {
  const rh_typed *typed = run->app->typed;
  for (uint32_t k = 0; k < typed->n_operands; k++)
    RH_TRY(rh_partial_check_output(typed, typed->operands[k], error));
  for (uint32_t k = 0; k < typed->n_operands; k++)
    RH_TRY(rh_partial_file_add(run, typed->operands[k], error));
  return RH_OK;
}

static rh_status conclude(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  RH_TRY(rh_merger_conclude(&run->merger, &report->result, &report->reference, &report->verdict,
                            error));
  report->check = run->merger.all.check;
  report->parts = run->app->typed->n_operands;
  run->job = run->merger.job;
  return rh_run_print(run, error);
}

/* Merging needs a device for OpenCL C alone, and no plugin; but what is asked for has to be there,
 * as for --run. */
static rh_status judge_options(const rh_app *app, rh_error *error) {
  const rh_options *options = &app->context->options;
  const rh_cl_device *device;
  RH_FINISHED(rh_discovery) found = {0};
  if (options->device) RH_TRY(rh_context_device(app->context, &device, error));
  return rh_discover(&found, options, error);
}

rh_status rh_mode_merge(const rh_app *app, rh_error *error) {
  RH_FINISHED(rh_run_state) run = {.app = app};
  RH_TRY(judge_options(app, error));
  RH_TRY(merge_files(&run, error));
  if (!app->typed->partial) return conclude(&run, error);
  return rh_partial_output(app, &run.merger.all, run.merger.text, error);
}
