/* redhost --merge FILE... */
#include "run.h"

rh_status rh_mode_merge(const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  const rh_options *options = &app->context->options;
  const rh_cl_device *device;
  RH_FINISHED(rh_discovery) found = {0};
  RH_FINISHED(rh_run_state) run = {.app = app};
  rh_run_report *report = &run.report;
  /* Merging needs a device for OpenCL C alone, and no plugin; but what is asked for has to be
   * there, as for --run. */
  if (options->device) RH_TRY(rh_context_device(app->context, &device, error));
  RH_TRY(rh_discover(&found, RH_PLUGINS, options, error));
  for (uint32_t k = 0; k < typed->n_operands; k++)
    RH_TRY(rh_partial_check_output(typed, typed->operands[k], error));
  for (uint32_t k = 0; k < typed->n_operands; k++)
    RH_TRY(rh_partial_file_add(&run, typed->operands[k], error));
  if (typed->partial) return rh_partial_output(app, &run.merger.all, run.merger.text, error);
  RH_TRY(rh_merger_conclude(&run.merger, &report->result, &report->reference, &report->verdict,
                            error));
  report->check = run.merger.all.check;
  report->parts = typed->n_operands;
  run.job = run.merger.job;
  return rh_run_print(&run, error);
}
