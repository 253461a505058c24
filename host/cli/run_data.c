/* The data that a --run reduces. */
#include "run.h"

static const char *size_of(const rh_typed *typed) { return typed->size ? typed->size : "2^24"; }

void rh_run_begin(rh_run_state *run, const rh_app *app) {
  const rh_typed *typed = app->typed;
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  *run = (rh_run_state){.app = app, .report.check = typed->check};
  if (typed->input) snprintf(run->what, sizeof run->what, "%s", typed->input);
  else snprintf(run->what, sizeof run->what, "--size %s in %s", size_of(typed), rh_type_name(type));
  run->asked = (rh_job_spec){.strategy = typed->name,
                             .settings = typed->settings,
                             .n_settings = typed->n_settings,
                             .operation.what = run->what,
                             .operation.check = typed->check,
                             /* the answer is wanted, or the time */
                             .on_device = typed->input || typed->quiet || rh_wants_ranks(typed)
                                              ? RH_JOB_ON_HOST
                                              : RH_JOB_IN_PLACE,
                             .once = 1};
}

rh_status rh_run_end_sampler(rh_run_state *run, rh_error *error) {
  rh_sampler *sampler = &run->sampler;
  if (!sampler->self) return RH_OK;
  rh_status status = sampler->close(sampler->self, error);
  sampler->finish(sampler->self);
  sampler->self = NULL;
  return status;
}

void rh_run_undo(rh_run_state *run) {
  rh_segments_finish(&run->segments);
  run->judged = (rh_segments_check){0};
  rh_segments_reduction_close(run->in_parts);
  run->in_parts = NULL;
  rh_run_end_sampler(run, NULL);
  rh_resident_finish(&run->resident);
  rh_reduction_close(run->reduction);
  run->reduction = NULL;
  rh_partial_finish(&run->partial);
  rh_run_devices_release(&run->devices);
  if (!run->app->typed->input) rh_array_finish(&run->array);
  run->report = (rh_run_report){.check = run->app->typed->check};
}

void rh_run_state_finish(rh_run_state *run) {
  rh_run_undo(run);
  rh_segments_files_close(run);
  rh_shape_finish(&run->shape);
  rh_run_devices_finish(&run->devices);
  rh_array_finish(&run->array);
  rh_merger_finish(&run->merger);
  rh_custom_destroy(run->own);
  rh_inputs_finish(&run->inputs);
}

/* ---- Files ---- */

static rh_status open_files(rh_run_state *run, int is_own, rh_error *error) {
  rh_inputs *inputs = &run->inputs;
  if (!run->app->typed->input) return RH_OK;
  RH_TRY(rh_inputs_open(inputs, run->app, is_own, error));
  for (uint32_t k = 0; k < inputs->n; k++)
    RH_TRY(rh_partial_check_output(run->app->typed, inputs->names[k], error));
  return RH_OK;
}

static void choose_way(rh_run_state *run) {
  const rh_typed *typed = run->app->typed;
  int is_cut = rh_shape_is_asked(typed);
  if (typed->stream || run->inputs.are_large || ((typed->input || is_cut) && run->devices.n > 1))
    run->way = RH_RUN_STREAMED;
  else if (run->way == RH_RUN_IN_MEMORY && run->devices.n > 1) run->way = RH_RUN_SPLIT;
}

static rh_status bring(rh_run_state *run, rh_error *error) {
  if (!run->inputs.n) return RH_OK;
  rh_status status = rh_inputs_bring(&run->inputs, &run->array, &run->asked, error);
  rh_terminal_catch_cut_file(run->app->typed->input); /* they are read where they are mapped */
  return status;
}

rh_status rh_run_check_unchanged(const rh_run_state *run, rh_error *error) {
  const rh_inputs *inputs = &run->inputs;
  for (uint32_t k = 0; k < inputs->n; k++)
    RH_TRY(rh_array_check_unchanged(inputs->n == 1 ? &run->array : &inputs->arrays[k],
                                    inputs->names[k], error));
  return RH_OK;
}

/* A pipe that was read to its end is in the array. */
static rh_status make_source(rh_run_state *run, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  if (run->own) rh_custom_take_base(run->own);
  if (!run->array.region.address) {
    RH_TRY(rh_inputs_source(&run->inputs, &run->asked, run->app->typed, &run->source, error));
  } else {
    rh_job_operands_at(&run->asked, rh_array_data(&run->array), operands);
    rh_source_of_arrays(&run->source, run->asked.operation.op, operands, 0, run->asked.operation.n);
  }
  run->asked.operation.n = run->source.n;
  return RH_OK;
}

rh_status rh_run_stream_instead(rh_run_state *run, rh_error *error) {
  int was_read = 0;
  for (uint32_t k = 0; k < run->inputs.n; k++) was_read |= run->inputs.feeds[k].is_pipe;
  rh_run_undo(run);
  if (!was_read) rh_array_finish(&run->array);
  run->way = RH_RUN_STREAMED;
  return make_source(run, error);
}

rh_status rh_run_segments_decline(const rh_job_spec *job, rh_error *error) {
  return rh_fail(error, RH_E_USAGE,
                 "segments are reduced in redhost's own process, and '%s' would run in another "
                 "one; --isolate=never lets it run here",
                 job->strategy);
}

/* ---- The operator ---- */

static rh_status make_own(rh_run_state *run, rh_type type, rh_error *error) {
  const rh_app *app = run->app;
  RH_TRY(rh_user_operator_define(app->typed, &app->context->options,
                                 run->inputs.n ? &run->inputs : NULL, type, &run->own, error));
  RH_TRY(rh_user_operator_trust(app, run->own, error));
  run->asked.operation.op = &run->own->face;
  return RH_OK;
}

/* And the number of elements, if they are generated. */
static rh_status find_operator(rh_run_state *run, int is_own, rh_error *error) {
  const rh_app *app = run->app;
  rh_operation *operation = &run->asked.operation;
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  rh_type of_first = run->inputs.n ? run->inputs.feeds[0].type : type;
  RH_TRY(is_own ? make_own(run, type, error)
                : rh_operator_find(&operation->op, app->op, of_first, error));
  if (run->inputs.n) return RH_OK;
  return rh_size_parse(size_of(app->typed), rh_type_size(type), "--size", &operation->n, error);
}

static rh_status check_not_empty(const rh_run_state *run, rh_error *error) {
  const rh_operation *operation = &run->asked.operation;
  const rh_typed *typed = run->app->typed;
  if (operation->n > 0 || !operation->op->needs_an_element || typed->partial) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%s%s%s of an empty array is undefined",
                 typed->input ? typed->input : "", typed->input ? ": " : "", operation->op->name);
}

/* Segments of several axes take their elements from all over the array, which is mapped then. */
static rh_status bring_scattered(rh_run_state *run, rh_error *error) {
  if (run->source.in_order)
    return rh_fail(error, RH_E_USAGE,
                   "--axis '%.40s': axes that are not neighbours need more than one pass, and a "
                   "pipe is read once; write it to a file",
                   run->app->typed->axis);
  RH_TRY(bring(run, error));
  return make_source(run, error);
}

/* Into segments, of which any may be empty. */
static rh_status cut(rh_run_state *run, rh_error *error) {
  if (run->way != RH_RUN_IN_MEMORY && run->source.n == UINT64_MAX)
    return rh_fail(error, RH_E_USAGE,
                   "segments of a stream need the number of elements, and a pipe of raw elements "
                   "ends without a word; pipe them in as .npy");
  run->asked.in_pieces = run->app->typed->input && !run->array.region.own;
  RH_TRY(rh_shape_open(&run->shape, run->app, &run->inputs, &run->asked, error));
  return run->way != RH_RUN_IN_MEMORY && run->shape.is_scattered ? bring_scattered(run, error)
                                                                 : RH_OK;
}

rh_status rh_run_find_data(rh_run_state *run, rh_error *error) {
  const rh_app *app = run->app;
  int is_own = rh_user_operator_is_wanted(app->typed);
  RH_TRY(open_files(run, is_own, error));
  choose_way(run);
  RH_TRY(find_operator(run, is_own, error));
  RH_TRY(run->way == RH_RUN_IN_MEMORY ? bring(run, error) : make_source(run, error));
  RH_TRY(rh_shape_is_asked(app->typed) ? cut(run, error) : check_not_empty(run, error));
  if (app->typed->accuracy) RH_TRY(rh_accuracy_ask(&run->asked, run->own, error));
  RH_TRY(rh_state_file_open(run, error));
  rh_note_operator(app, &run->inputs, &run->asked);
  return RH_OK;
}
