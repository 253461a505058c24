/* One --run: its devices, and the data that it reduces. */
#include "run.h"

/* ---- Devices ---- */

/* Each but the first with a redhost like the program's.  chosen: n devices, or null for the
 * program's own, which need not be. */
static rh_status open_all(rh_run_state *run, const rh_cl_device *const *chosen, uint32_t n,
                          rh_error *error) {
  rh_context *context = run->app->context;
  if (n > RH_MOST_WORKERS)
    return rh_fail(error, RH_E_USAGE, "--device: %u devices, of at most %d", n, RH_MOST_WORKERS);
  if (chosen) RH_TRY(rh_context_use_device(context, chosen[0], error));
  RH_TRY(RH_NEW(&run->devices, n, "a list of devices", error));
  RH_TRY(RH_NEW(&run->streams, n, "a list of devices", error));
  run->devices[0].context = context;
  for (run->n_devices = 1; run->n_devices < n; run->n_devices++) {
    rh_options options = context->options;
    options.device = chosen[run->n_devices]->label;
    RH_TRY(rh_context_open(&run->devices[run->n_devices].context, &options, &rh_choosing, error));
  }
  return RH_OK;
}

static rh_status open_devices(rh_run_state *run, rh_error *error) {
  const rh_app *app = run->app;
  const char *list = app->typed->device ? app->typed->device : rh_env("REDHOST_DEVICE");
  const rh_cl_devices *known;
  RH_FREED(const rh_cl_device *) chosen = NULL;
  uint32_t n = 1;
  if (list && rh_devices_are_listed(list)) {
    RH_TRY(rh_context_devices(app->context, &known, error));
    RH_TRY(rh_devices_parse(known, app->typed->device, &chosen, &n, error));
  }
  return open_all(run, chosen, n, error);
}

static void release_devices(rh_run_state *run) {
  for (uint32_t k = 0; k < run->n_devices; k++) {
    rh_worker_finish(&run->streams[k]);
    rh_isolated_worker_close(run->devices[k].worker);
    run->devices[k].worker = NULL;
    run->streams[k] = (rh_worker){0};
    rh_found_finish(&run->devices[k].found);
  }
}

/* ---- Their strategies ---- */

rh_status rh_run_device_locate(rh_run_state *run, uint32_t k, const rh_job_spec *asked,
                               rh_error *error) {
  rh_run_device *own = &run->devices[k];
  rh_job_spec *spec = &own->spec;
  *spec = *asked;
  RH_TRY(rh_locate(own->context, spec, &own->found, error));
  spec->strategy = own->found.name;
  spec->plugin = own->found.path;
  own->isolated = rh_when(run->app->typed->isolate, !own->found.installed);
  return RH_OK;
}

/* The job's parameters are the process's affair. */
rh_status rh_run_device_isolate(rh_run_state *run, uint32_t k, const atomic_int *stop,
                                rh_error *error) {
  rh_run_device *own = &run->devices[k];
  uint64_t bytes = run->app->typed->chunk_bytes;
  if (!bytes) bytes = RH_STREAM_DEVICE_MIB << 20;
  const rh_isolated_worker_spec spec = {.context = own->context,
                                        .found = &own->found,
                                        .job = &own->spec,
                                        .device = run->streams[k].device,
                                        .most_n = rh_chunk_n(&own->spec, bytes),
                                        .limit_s = rh_limit_s(run->app->typed),
                                        .is_first = k == 0,
                                        .stop = stop};
  RH_TRY(rh_isolated_worker_open(&own->worker, &spec, error));
  own->spec.remote = &own->worker->remote;
  own->spec.untuned = own->spec.others_too = 1;
  return RH_OK;
}

rh_status rh_run_devices_rest(rh_run_state *run, rh_error *error) {
  for (uint32_t k = 0; k < run->n_devices; k++)
    if (run->devices[k].worker) RH_TRY(rh_isolated_worker_rest(run->devices[k].worker, error));
  return RH_OK;
}

/* ---- The run ---- */

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
  release_devices(run);
  if (!run->app->typed->input) rh_array_finish(&run->array);
  run->report = (rh_run_report){.check = run->app->typed->check};
}

void rh_run_state_finish(rh_run_state *run) {
  rh_run_undo(run);
  rh_segments_files_close(run);
  rh_shape_finish(&run->shape);
  for (uint32_t k = 1; k < run->n_devices; k++) rh_context_close(run->devices[k].context);
  free(run->devices);
  free(run->streams);
  rh_array_finish(&run->array);
  rh_merger_finish(&run->merger);
  rh_custom_destroy(run->own);
  for (uint32_t k = 0; k < run->inputs.n; k++) {
    rh_array_finish(&run->inputs.arrays[k]);
    rh_feed_finish(&run->inputs.feeds[k]);
  }
  free(run->inputs.copy);
}

/* ---- Files ---- */

/* A pipe counts as large when so much of it was read. */
static const uint64_t first_part = UINT64_C(256) << 20;

static rh_status cut_list(rh_inputs *inputs, const char *list, int as_list, rh_error *error) {
  RH_TRY(rh_copy(&inputs->copy, list, "names", error));
  if (!as_list || access(list, F_OK) == 0) { /* a name with a comma */
    inputs->names[inputs->n++] = inputs->copy;
    return RH_OK;
  }
  for (char *at = inputs->copy, *name; (name = strsep(&at, ","));) {
    if (inputs->n == RH_MOST_OPERANDS)
      return rh_fail(error, RH_E_USAGE, "--input: at most %d files", RH_MOST_OPERANDS);
    if (!*name) return rh_fail(error, RH_E_USAGE, "--input '%s': an empty name", list);
    inputs->names[inputs->n++] = name;
  }
  return RH_OK;
}

/* One file; or, as_list, several with commas between. */
static rh_status open_files(rh_inputs *inputs, const rh_app *app, int as_list, rh_error *error) {
  const rh_reporter *reporter = &app->context->options.reporter;
  uint64_t bytes = 0, memory = rh_machine_memory(), room = memory - memory / 4;
  /* Unless a stream is asked for, segments of a file are reduced where it is mapped, and those of a
   * pipe once it has ended. */
  int are_cut = rh_shape_is_asked(app->typed);
  if (!app->typed->input) return RH_OK;
  RH_TRY(cut_list(inputs, app->typed->input, as_list, error));
  for (uint32_t k = 0; k < inputs->n; k++) {
    rh_feed *feed = &inputs->feeds[k];
    for (uint32_t j = 0; j < k; j++)
      if (strcmp(inputs->names[j], "-") == 0 && strcmp(inputs->names[k], "-") == 0)
        return rh_fail(error, RH_E_USAGE, "--input: standard input can be one operand only");
    RH_TRY(rh_feed_open(feed, inputs->names[k], app->type, reporter, error));
    RH_TRY(rh_check_paired(&inputs->feeds[0], feed, 0, error));
    bytes += feed->file_bytes;
    if (!feed->is_pipe || app->typed->stream) continue;
    RH_TRY(rh_feed_gather(feed, are_cut && memory ? room : first_part, error));
    inputs->are_large |= !rh_feed_is_gathered(feed);
  }
  inputs->are_large |= memory && bytes > room && !are_cut;
  for (uint32_t k = 0; k < inputs->n; k++)
    RH_TRY(rh_partial_check_output(app->typed, inputs->names[k], error));
  return RH_OK;
}

/* All operands in one region. */
static rh_status join(rh_run_state *run, rh_error *error) {
  rh_region *parts[RH_MOST_OPERANDS];
  uint64_t *offsets = run->asked.offsets;
  const rh_inputs *inputs = &run->inputs;
  for (uint32_t k = 0; k < inputs->n; k++) parts[k] = &run->inputs.arrays[k].region;
  run->array.region = (rh_region){0};
  RH_TRY(rh_region_join(&run->array.region, parts, inputs->n, offsets, error));
  for (uint32_t k = 0; k < inputs->n; k++)
    offsets[k] += inputs->arrays[k].offset_bytes - run->array.offset_bytes;
  return RH_OK;
}

/* Into memory: a file is mapped, and a pipe read to its end. */
static rh_status bring(rh_run_state *run, rh_error *error) {
  rh_inputs *inputs = &run->inputs;
  rh_array *arrays = inputs->arrays;
  if (!inputs->n) return RH_OK;
  for (uint32_t k = 0; k < inputs->n; k++) {
    rh_terminal_catch_cut_file(inputs->names[k]);
    RH_TRY(rh_array_take_feed(&arrays[k], &inputs->feeds[k], error));
    if (arrays[k].n != arrays[0].n)
      return rh_fail(error, RH_E_USAGE, "%s has %llu elements, and %s has %llu", inputs->names[0],
                     (unsigned long long)arrays[0].n, inputs->names[k],
                     (unsigned long long)arrays[k].n);
  }
  run->array = arrays[0];
  run->asked.operation.n = run->array.n;
  if (inputs->n > 1) RH_TRY(join(run, error));
  else arrays[0] = (rh_array){0};
  rh_terminal_catch_cut_file(run->app->typed->input); /* they are read where they are mapped */
  return RH_OK;
}

rh_status rh_run_check_unchanged(const rh_run_state *run, rh_error *error) {
  const rh_inputs *inputs = &run->inputs;
  for (uint32_t k = 0; k < inputs->n; k++)
    RH_TRY(rh_array_check_unchanged(inputs->n == 1 ? &run->array : &inputs->arrays[k],
                                    inputs->names[k], error));
  return RH_OK;
}

/* The operands from the files; a pipe that was read to its end is in the array. */
static rh_status make_source(rh_run_state *run, rh_error *error) {
  const rh_operator *op = run->asked.operation.op;
  const rh_typed *typed = run->app->typed;
  const void *operands[RH_MOST_OPERANDS];
  rh_feed *feeds[RH_MOST_OPERANDS];
  rh_type types[RH_MOST_OPERANDS];
  uint64_t *n = &run->asked.operation.n;
  if (run->own) rh_custom_take_base(run->own);
  for (uint32_t k = 0; k < op->n_operands; k++) {
    types[k] = op->operands[k].type;
    feeds[k] = &run->inputs.feeds[k];
  }
  if (run->array.region.address) {
    rh_job_operands_at(&run->asked, rh_array_data(&run->array), operands);
    rh_source_of_arrays(&run->source, op, operands, 0, *n);
  } else if (run->inputs.n) {
    RH_TRY(rh_source_of_feeds(&run->source, feeds, op->n_operands, error));
  } else {
    rh_source_generated(&run->source, typed->data, typed->seed, types, op->n_operands, *n);
  }
  *n = run->source.n;
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

/* And the number of elements, if they are generated. */
static rh_status find_operator(rh_run_state *run, int is_own, rh_error *error) {
  const rh_app *app = run->app;
  const rh_inputs *inputs = run->inputs.n ? &run->inputs : NULL;
  rh_operation *operation = &run->asked.operation;
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  if (is_own) {
    RH_TRY(rh_user_operator_define(app, app->typed, inputs, type, &run->own, error));
    RH_TRY(rh_user_operator_trust(app, run->own, error));
    operation->op = &run->own->face;
  } else {
    rh_type of_first = inputs ? inputs->feeds[0].type : type;
    RH_TRY(rh_operator_find(&operation->op, app->op, of_first, error));
  }
  if (inputs) return RH_OK;
  return rh_size_parse(size_of(app->typed), rh_type_size(type), "--size", &operation->n, error);
}

static rh_status check_not_empty(const rh_run_state *run, rh_error *error) {
  const rh_operation *operation = &run->asked.operation;
  const rh_typed *typed = run->app->typed;
  if (operation->n > 0 || !operation->op->needs_an_element || typed->partial) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%s%s%s of an empty array is undefined",
                 typed->input ? typed->input : "", typed->input ? ": " : "", operation->op->name);
}

/* Into segments, of which any may be empty. */
static rh_status cut(rh_run_state *run, rh_error *error) {
  if (run->way != RH_RUN_IN_MEMORY && run->source.n == UINT64_MAX)
    return rh_fail(error, RH_E_USAGE,
                   "segments of a stream need the number of elements, and a pipe of raw elements "
                   "ends without a word; pipe them in as .npy");
  run->asked.in_pieces = run->app->typed->input && !run->array.region.own;
  RH_TRY(rh_shape_open(&run->shape, run->app, &run->inputs, &run->asked, error));
  if (run->way == RH_RUN_IN_MEMORY || !run->shape.is_scattered) return RH_OK;
  /* Those of several axes take their elements from all over the array, which is mapped then. */
  if (run->source.in_order)
    return rh_fail(error, RH_E_USAGE,
                   "--axis '%.40s': axes that are not neighbours need more than one pass, and a "
                   "pipe is read once; write it to a file",
                   run->app->typed->axis);
  RH_TRY(bring(run, error));
  return make_source(run, error);
}

rh_status rh_run_find_data(rh_run_state *run, rh_error *error) {
  const rh_app *app = run->app;
  const rh_typed *typed = app->typed;
  int is_own = rh_user_operator_is_wanted(typed), is_cut = rh_shape_is_asked(typed);
  RH_TRY(open_devices(run, error));
  RH_TRY(open_files(&run->inputs, app, is_own, error));
  if (typed->stream || run->inputs.are_large || ((typed->input || is_cut) && run->n_devices > 1))
    run->way = RH_RUN_STREAMED;
  else if (run->way == RH_RUN_IN_MEMORY && run->n_devices > 1) run->way = RH_RUN_SPLIT;
  RH_TRY(find_operator(run, is_own, error));
  RH_TRY(run->way == RH_RUN_IN_MEMORY ? bring(run, error) : make_source(run, error));
  RH_TRY(is_cut ? cut(run, error) : check_not_empty(run, error));
  if (typed->texts.accuracy) RH_TRY(rh_accuracy_ask(&run->asked, run->own, error));
  RH_TRY(rh_state_file_open(run, error));
  rh_note_operator(app, &run->inputs, &run->asked);
  return RH_OK;
}
