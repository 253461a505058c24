/* redhost --merge FILE... */
#include "run.h"

typedef struct merging {
  rh_merger merger;
  rh_run_state run;
} merging;

static rh_status merge_files(merging *m, rh_error *error) {
  const rh_typed *typed = m->run.app->typed;
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < typed->n_operands && status == RH_OK; k++)
    status = rh_partial_check_output(typed, typed->operands[k], error);
  for (uint32_t k = 0; k < typed->n_operands && status == RH_OK; k++) {
    const char *path = typed->operands[k];
    rh_text bytes = {0};
    status = rh_partial_load(path, &bytes, error);
    if (status == RH_OK)
      status = rh_merger_add(&m->merger, m->run.app->context, path, rh_text_get(&bytes),
                             bytes.length, error);
    rh_text_finish(&bytes);
  }
  return status;
}

static rh_status conclude(merging *m, rh_error *error) {
  rh_run_report *report = &m->run.report;
  RH_TRY(
      rh_merger_conclude(&m->merger, &report->result, &report->reference, &report->verdict, error));
  report->check = m->merger.all.check;
  report->parts = m->run.app->typed->n_operands;
  m->run.job = m->merger.job;
  return rh_run_print(&m->run, error);
}

/* Merging needs a device for OpenCL C alone, and no plugin; but what is asked for has to be there,
 * as for --run. */
static rh_status judge_options(const rh_app *app, rh_error *error) {
  const rh_options *options = &app->context->options;
  const rh_cl_device *device;
  rh_discovery found;
  RH_TRY(rh_partial_check_options(app->typed, error));
  if (options->device) RH_TRY(rh_context_device(app->context, &device, error));
  RH_TRY(rh_discover(&found, options, error));
  rh_discovery_finish(&found);
  return RH_OK;
}

rh_status rh_mode_merge(const rh_app *app, rh_error *error) {
  merging m = {.run.app = app};
  rh_status status = judge_options(app, error);
  if (status == RH_OK) status = merge_files(&m, error);
  if (status == RH_OK)
    status = app->typed->partial ? rh_partial_output(app, &m.merger.all, m.merger.text, error)
                                 : conclude(&m, error);
  rh_merger_finish(&m.merger);
  return status;
}
