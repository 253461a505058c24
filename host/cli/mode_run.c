/* redhost --run NAME */
#include "run.h"

/* Generated data are streamed without being asked for up to so many times the memory: more would be
 * hours of work that nobody expects. */
enum { MOST_MEMORIES = 8 };

/* After a run in memory that ended with `status`: was it for lack of room, which a stream does not
 * need? */
static int may_stream(const rh_run_state *run, rh_status status) {
  const rh_app *app = run->app;
  const rh_cl_device *device = app->context->device;
  const rh_operation *operation = &run->asked.operation;
  uint64_t memory = rh_machine_memory(), most = 0;
  uint32_t size = rh_operator_element_bytes(operation->op);
  if ((status != RH_E_DEVICE && status != RH_E_NOMEM) || !memory) return 0;
  if (rh_when(app->typed->isolate, 0)) return 0;
  if (!app->typed->input && operation->n > MOST_MEMORIES * memory / size) return 0;
  if (device) most = device->about.max_alloc_bytes;
  return operation->n > memory / size || (most && operation->n > most / size) || run->has_no_room;
}

static int should_stream(const rh_run_state *run, rh_run_way before, rh_status status) {
  if (before == RH_RUN_SPLIT) return status == RH_E_DEVICE || status == RH_E_NOMEM;
  return before == RH_RUN_IN_MEMORY && (run->way == RH_RUN_STREAMED || may_stream(run, status));
}

static rh_status find_answer(rh_run_state *run, rh_error *error) {
  static rh_status (*const ways[])(rh_run_state *, rh_error *) = {
      [RH_RUN_IN_MEMORY] = rh_run_in_memory,
      [RH_RUN_SPLIT] = rh_run_split,
      [RH_RUN_STREAMED] = rh_run_streamed,
  };
  rh_run_way way = run->way;
  rh_error why = {0};
  rh_status status = ways[way](run, &why);
  if (should_stream(run, way, status)) {
    RH_TRY(rh_run_stream_instead(run, error));
    return rh_run_streamed(run, error);
  }
  if (status != RH_OK) *error = why;
  return status;
}

/* A wrong answer is an error message, never a bare value that a script would use. */
static rh_status judge_answer(const rh_run_state *run, rh_error *error) {
  const rh_run_report *report = &run->report;
  const rh_job_spec *spec = report->spec;
  if (!report->checked || report->verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  rh_context_blame(run->app->context, spec->strategy, spec->plugin, spec->operation.op,
                   spec->operation.n);
  char got[64], exact[64];
  rh_format_answer(got, &report->result);
  rh_format_answer(exact, &report->reference.answer);
  return rh_fail(error, RH_E_WRONG, "wrong result: '%s' returned %s, expected %s (%s)",
                 spec->strategy, got, exact, report->verdict.text);
}

static rh_status run_it(rh_run_state *run, rh_error *error) {
  RH_TRY(rh_run_devices_open(&run->devices, run->app, run->options, error));
  RH_TRY(rh_run_find_data(run, error));
  RH_TRY(rh_segments_files_open(&run->files, run->app, run->asked.operation.op, &run->inputs,
                                &run->shape, error));
  RH_TRY(find_answer(run, error));
  if (run->asked.operation.layout)
    return rh_run_segments_print(run->app, &run->segments, &run->shape, &run->files, error);
  if (run->inputs.n && run->inputs.feeds[0].is_npy) run->report.npy = &run->inputs.feeds[0].npy;
  RH_TRY(rh_state_file_add(&run->state, &run->report, run->app->typed, error));
  RH_TRY(rh_run_report_print(run->app, &run->report, error));
  rh_run_report_warn(run->app, &run->report);
  return judge_answer(run, error);
}

/* On the heap: the stack may be small. */
rh_status rh_mode_run(const rh_app *app, rh_error *error) {
  rh_run_options options;
  RH_TRY(rh_run_options_parse(&options, app->typed, error));
  if (rh_run_options_want_ranks(app->typed)) return rh_run_ranks(app, &options, error);
  rh_run_state *run;
  RH_TRY(RH_NEW(&run, 1, "a run", error));
  rh_run_begin(run, app, &options);
  rh_status status = run_it(run, error);
  rh_run_finish(run);
  free(run);
  return status;
}
