#include "run_segments.h"
#include "../choose/measure/quick.h"
#include "../core/base/error.h"

static rh_status take_sample(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  rh_segments *segments = self;
  (void)how;
  RH_TRY(rh_segments_run(segments, error));
  taken->seconds = segments->seconds;
  return RH_OK;
}

rh_status rh_run_segments_decline(const rh_job_spec *spec, rh_error *error) {
  return rh_fail(error, RH_E_USAGE,
                 "segments are reduced in redhost's own process, and '%s' would run in another "
                 "one; --isolate=never lets it run here",
                 spec->strategy);
}

/* With a file, the user wants the answers; with generated data, the time. */
static rh_status measure(rh_segments_answer *run, const rh_app *app, rh_error *error) {
  static const rh_series series = {{RH_TAKE_LATENCY, 1}, RH_MOST_IN_A_SERIES, 0.3};
  const rh_sampler sampler = {.self = &run->segments, .take = take_sample};
  const rh_typed *typed = app->typed;
  if (typed->quiet || (typed->input && !typed->verbose)) return RH_OK;
  return rh_measure_series(&sampler, &series, &app->context->options.reporter, &run->time, error);
}

static rh_status judge_all(rh_segments_answer *run, const rh_app *app, const rh_array *array,
                           rh_error *error) {
  int may_change = app->typed->input && !array->region.own;
  run->checked = 1;
  return rh_segments_judge(&run->segments, may_change, &run->check, error);
}

rh_status rh_run_segments(rh_segments_answer *run, const rh_app *app, const rh_run_options *options,
                          const rh_job_spec *spec, const rh_array *array, const rh_shape *shape,
                          rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  *run = (rh_segments_answer){.checked = 0};
  if (app->typed->input) rh_terminal_catch_cut_file(app->typed->input);
  rh_job_operands_at(spec, rh_array_data(array), operands);
  RH_TRY(rh_segments_open(&run->segments, app->context, spec,
                          shape->is_scattered ? &shape->axes : NULL, error));
  if (app->typed->input) rh_terminal_catch_cut_file(app->typed->input); /* a driver compiled */
  RH_TRY(rh_segments_bring(&run->segments, operands, error));
  RH_TRY(rh_segments_run(&run->segments, error));
  if (options->check != RH_CHECK_NONE) RH_TRY(judge_all(run, app, array, error));
  return run->check.is_wrong ? RH_OK : measure(run, app, error);
}

void rh_run_segments_finish(rh_segments_answer *run) {
  rh_segments_finish(&run->segments);
}
