/* The report on a run, as JSON. */
#include "run.h"

const char *const rh_verdict_words[] = {"ok", "wrong", "not judged"};
static const char *const exact_data_words[] = {NULL, "ok", "wrong", "not tried"};

/* JSON's integers do not hold the index that is none. */
static json_t *json_index(uint64_t index) {
  return index == UINT64_MAX ? json_null() : json_integer((json_int_t)index);
}

static json_t *check_object(const rh_run_state *run) {
  char text[64];
  const rh_verdict *verdict = &run->report.verdict;
  const rh_result *exact = &run->report.reference.answer;
  if (!rh_run_is_checked(run)) return json_null();
  return json_pack(
      "{s:o*, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:s, s:s?, s:o}", "reference_index",
      exact->indexed ? json_index(exact->index) : NULL, "reference", rh_format_exact(text, exact),
      "error", rh_json_number(verdict->error), "error_ulp", rh_json_number(verdict->error_ulp),
      "bound", rh_json_number(verdict->bound), "bound_fraction",
      rh_json_number(verdict->error / verdict->bound), "depth", (json_int_t)verdict->depth, "ok",
      verdict->verdict == RH_VERDICT_UNJUDGED ? json_null()
                                              : json_boolean(verdict->verdict == RH_VERDICT_OK),
      "outcome", rh_verdict_words[verdict->verdict], "exact_data",
      exact_data_words[verdict->exact_data], "text", rh_json_bytes(verdict->text));
}

static json_t *median_object(const rh_spread *of) {
  return json_pack("{s:o, s:o, s:I}", "median", rh_json_number(of->median), "spread",
                   rh_json_number(rh_spread_precision(of)), "samples", (json_int_t)of->samples);
}

static json_t *params_object(const rh_opened *opened) {
  json_t *object = json_object();
  for (uint32_t k = 0; k < opened->n_used; k++) {
    const rh_used_param *param = &opened->used[k];
    json_object_set_new(object, param->key,
                        param->is_word ? rh_json_bytes(param->text) : json_integer(param->number));
  }
  return object;
}

static json_t *fields_object(const rh_result *result) {
  json_t *object = json_object();
  for (uint32_t k = 0; k < result->n_fields; k++) {
    const rh_result one = rh_report_field(result, k);
    char text[64];
    json_object_set_new(object, result->fields[k].name, json_string(rh_format_exact(text, &one)));
  }
  return object;
}

/* ---- Where the elements were ---- */

/* [begin, end] of the reads, copies and reductions of a chunk, from the first read on. */
static json_t *times_array(const rh_chunk_times *times) {
  return json_pack("[[o, o], [o, o], [o, o]]", rh_json_number(times->read[0]),
                   rh_json_number(times->read[1]), rh_json_number(times->copy[0]),
                   rh_json_number(times->copy[1]), rh_json_number(times->run[0]),
                   rh_json_number(times->run[1]));
}

/* The devices of a stream, or of data that stay on several. */
static json_t *devices_array(const rh_run_state *run) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < run->devices.n; k++) {
    const rh_worker *one = &run->devices.streams[k];
    json_array_append_new(
        array,
        json_pack("{s:o, s:s?, s:o*, s:I, s:o}", "device",
                  rh_json_bytes(one->device ? one->device->label : "host"), "strategy",
                  one->is_up ? run->devices.list[k].spec.strategy : NULL, "chunks",
                  run->reduction ? json_integer((json_int_t)one->chunks) : NULL, "elements",
                  (json_int_t)one->n, "failure",
                  rh_json_bytes(one->failure.status == RH_OK ? NULL : one->failure.message)));
  }
  return array;
}

static json_t *stream_object(const rh_run_state *run) {
  const rh_reduction *s = rh_run_streamed_by(run);
  if (!s) return NULL;
  json_t *times = json_array();
  int has_copies = s->copies[1] > 0;
  for (uint32_t k = 0; run->app->typed->verbose && k < s->n_times; k++)
    json_array_append_new(times, times_array(&s->times[k]));
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:s, s:I, s:o, s:o, s:o, s:o, s:o*, s:o*,"
                   " s:o, s:o}",
                   "chunks", (json_int_t)s->chunks, "chunk_elements", (json_int_t)s->chunk_n,
                   "slot_bytes", (json_int_t)s->slot_bytes, "slots", (json_int_t)s->slots,
                   "readers", (json_int_t)s->readers, "pinned", (int)s->is_pinned, "in_place",
                   (int)s->in_place, "check", rh_check_name(run->report.check), "chunks_checked",
                   (json_int_t)s->partial->checked, "seconds", rh_json_number(s->seconds), "read_s",
                   rh_json_number(s->read_s), "copy_s", rh_json_number(s->copy_s), "reduce_s",
                   rh_json_number(s->run_s), "copies_begin_s",
                   has_copies ? rh_json_number(s->copies[0]) : NULL, "copies_end_s",
                   has_copies ? rh_json_number(s->copies[1]) : NULL, "times", times, "devices",
                   devices_array(run));
}

static json_t *resident_object(const rh_run_state *run) {
  if (!run->resident.parts) return NULL;
  return json_pack("{s:o, s:o, s:o}", "load_s", rh_json_number(run->resident.load_s),
                   "first_call_s", rh_json_number(run->report.first_s), "devices",
                   devices_array(run));
}

static json_t *setup_object(const rh_run_state *run) {
  const rh_opened *opened = &run->report.opened;
  if (run->reduction || run->resident.parts || run->report.ranks) return NULL;
  if (!rh_run_device_of(run)) return json_object();
  return json_pack("{s:o, s:b, s:o, s:b}", "build", rh_json_number(opened->build_s), "build_cached",
                   rh_run_build_is_cached(run), "upload", rh_json_number(opened->upload_s),
                   "in_place", (int)opened->in_place);
}

/* ---- A run over all elements ---- */

/* The operation, by what it was reduced, and how that was set. */
static json_t *run_object(const rh_run_state *run) {
  const rh_job_spec *spec = &run->job;
  const rh_operator *op = spec->operation.op;
  const rh_run_report *report = &run->report;
  const rh_cl_device *device = rh_run_device_of(run);
  const rh_run_device *own = run->devices.n ? &run->devices.list[report->by] : NULL;
  const char *chosen = own ? own->context->chosen : "", *note = report->opened.params_note;
  return json_pack("{s:o*, s:o, s:s, s:o, s:b, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:s, s:o, s:o}",
                   "parts", report->parts ? json_integer(report->parts) : NULL, "device",
                   rh_json_bytes(report->parts ? NULL
                                 : device      ? device->label
                                               : "host"),
                   "strategy", spec->strategy, "plugin", rh_json_bytes(spec->plugin), "isolated",
                   own && own->isolated, "op", op->name, "type",
                   rh_type_name(op->is_struct ? op->operands[0].type : op->type), "result_type",
                   rh_type_name(report->result.type), "n", (json_int_t)spec->operation.n, "bytes",
                   (json_int_t)(spec->operation.n * rh_operator_element_bytes(op)), "input",
                   rh_json_bytes(run->app->typed->input), "params", params_object(&report->opened),
                   "params_from", rh_params_from_name(report->opened.params_from), "params_note",
                   rh_json_bytes(*note ? note : NULL), "chosen",
                   rh_json_bytes(*chosen ? chosen : NULL));
}

static json_t *answer_object(const rh_run_state *run) {
  const rh_run_report *report = &run->report;
  const rh_result *result = &report->result;
  char text[64];
  return json_pack("{s:s, s:s, s:o*, s:o*, s:s*, s:o, s:I, s:o*, s:o*, s:o*}", "status",
                   rh_run_is_wrong(run) ? "wrong" : "ok", "value", rh_format_exact(text, result),
                   "index", result->indexed ? json_index(result->index) : NULL, "fields",
                   rh_result_has_fields(result) ? fields_object(result) : NULL, "accuracy",
                   run->job.operation.accuracy ? "exact" : NULL, "check", check_object(run),
                   "launches", (json_int_t)report->opened.launches, "stream", stream_object(run),
                   "resident", resident_object(run), "setup_s", setup_object(run));
}

static json_t *ranks_object(const rh_run_report *report) {
  if (!report->ranks) return NULL;
  return json_pack("{s:I, s:I, s:s, s:o}", "ranks", (json_int_t)report->ranks, "hosts",
                   (json_int_t)report->hosts, "transport", report->transport, "ranks_s",
                   rh_json_number(report->ranks_s));
}

static json_t *state_object(const rh_run_state *run) {
  const char *path = run->app->typed->state;
  if (!path || rh_run_is_wrong(run)) return NULL;
  return json_pack("{s:{s:o, s:I}}", "state", "file", rh_json_bytes(path), "n",
                   (json_int_t)run->report.state_n);
}

static json_t *times_object(const rh_run_report *report) {
  if (!report->measured) return NULL;
  return json_pack("{s:o, s:o, s:s}", "time_s", median_object(&report->quick.time), "latency_s",
                   median_object(&report->quick.latency), "timer", "host");
}

static rh_status print_whole(const rh_run_state *run, rh_error *error) {
  json_t *devices = json_array(), *result = run_object(run);
  json_t *const more[] = {answer_object(run), ranks_object(&run->report), state_object(run),
                          times_object(&run->report)};
  for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
    json_object_update(result, more[k]);
    json_decref(more[k]);
  }
  for (uint32_t k = 0; k < run->devices.n; k++)
    if (run->devices.streams[k].device)
      json_array_append_new(devices, rh_json_device(run->devices.streams[k].device));
  if (run->app->beside) {
    rh_beside_add_json(run->app->beside, devices, result);
    return RH_OK;
  }
  return rh_json_print(json_pack("{s:o, s:[o]}", "devices", devices, "results", result), error);
}

/* ---- A run over segments ---- */

static json_t *value_of(const rh_result *result) {
  char text[64];
  if (rh_result_has_fields(result)) return fields_object(result);
  const char *value = rh_format_exact(text, result);
  if (!result->indexed) return json_string(value);
  return json_pack("{s:o, s:s}", "index", json_index(result->index), "value", value);
}

static json_t *judged_object(const rh_run_state *run) {
  const rh_segments_check *check = &run->judged;
  if (!rh_run_is_checked(run)) return json_null();
  return json_pack("{s:I, s:I, s:o, s:o, s:s}", "segments", (json_int_t)check->n, "not_judged",
                   (json_int_t)check->unjudged, "worst",
                   check->part > 0 ? json_integer((json_int_t)check->worst) : json_null(),
                   "bound_fraction", rh_json_number(check->part), "outcome",
                   check->unjudged ? "not judged" : "ok");
}

/* All but the values. */
static json_t *segments_object(const rh_run_state *run) {
  const rh_segments *s = &run->segments;
  const rh_operation *operation = &s->spec.operation;
  const rh_result first = rh_run_segment(run, 0);
  return json_pack(
      "{s:s, s:s, s:s, s:I, s:o, s:I, s:s, s:b, s:b, s:s, s:o, s:s}", "strategy", s->spec.strategy,
      "op", operation->op->name, "type", rh_type_name(operation->op->operands[0].type), "n",
      (json_int_t)operation->n, "input", rh_json_bytes(run->app->typed->input), "segments",
      (json_int_t)s->n, "order", run->shape.fortran_order ? "F" : "C", "one_run_for_each",
      (int)s->is_loop, "copied", (int)s->was_copied, "result_type",
      s->n ? rh_type_name(first.type) : "", "check", judged_object(run), "status", "ok");
}

/* The number of parts, and of the devices and ranks that reduced them. */
static void add_parts(json_t *result, const rh_run_state *run) {
  uint32_t devices = 0;
  for (uint32_t k = 0; k < run->devices.n; k++) devices += run->devices.streams[k].chunks > 0;
  json_object_set_new(result, "parts", json_integer((json_int_t)run->in_parts->parts));
  json_object_set_new(result, "devices", json_integer(devices));
  if (run->report.ranks) json_object_set_new(result, "ranks", json_integer(run->report.ranks));
}

static rh_status print_segments(const rh_run_state *run, rh_error *error) {
  const rh_shape *shape = &run->shape;
  json_t *result = segments_object(run);
  json_t *lengths = json_array(), *values = json_array(), *labels = json_array();
  for (uint32_t k = 0; k < shape->n_dimensions; k++)
    json_array_append_new(lengths, json_integer((json_int_t)shape->lengths[k]));
  for (uint64_t s = 0; s < run->segments.n; s++) {
    const rh_result one = rh_run_segment(run, s);
    json_array_append_new(values, value_of(&one));
    if (shape->labels.type) json_array_append_new(labels, json_string(rh_run_segment_name(run, s)));
  }
  json_object_set_new(result, "shape", lengths);
  json_object_set_new(result, "values", values);
  if (shape->labels.type) json_object_set(result, "labels", labels);
  json_decref(labels);
  if (rh_run_parts(run)) add_parts(result, run);
  if (run->series.samples)
    json_object_set_new(result, "time_s", rh_json_number(run->series.median));
  return rh_json_print(json_pack("{s:[o]}", "results", result), error);
}

rh_status rh_run_print_json(const rh_run_state *run, rh_error *error) {
  return run->asked.operation.layout ? print_segments(run, error) : print_whole(run, error);
}
