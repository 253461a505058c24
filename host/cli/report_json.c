/* The report on a run, as JSON. */
#include "run.h"

const char *const rh_verdict_words[] = {"ok", "wrong", "not judged"};
static const char *const exact_data_words[] = {NULL, "ok", "wrong", "not tried"};

/* JSON's integers do not hold the index that is none. */
static json_t *json_index(const rh_result *result) {
  if (!result->indexed) return NULL;
  return result->index == UINT64_MAX ? json_null() : json_integer((json_int_t)result->index);
}

/* A number that is there if something was counted. */
static json_t *json_count(uint64_t n) { return n ? json_integer((json_int_t)n) : NULL; }

static json_t *check_object(const rh_run_state *run) {
  char text[64];
  const rh_verdict *verdict = &run->report.verdict;
  const rh_result *exact = &run->report.reference.answer;
  if (!rh_run_is_checked(run)) return NULL;
  int is_ok = verdict->verdict == RH_VERDICT_OK;
  return rh_json(
      "reference_index:o? reference:s error:f error_ulp:f bound:f bound_fraction:f depth:u "
      "ok:o outcome:s exact_data:s text:s",
      json_index(exact), rh_format_exact(text, exact), verdict->error, verdict->error_ulp,
      verdict->bound, verdict->error / verdict->bound, verdict->depth,
      verdict->verdict == RH_VERDICT_UNJUDGED ? NULL : json_boolean(is_ok),
      rh_verdict_words[verdict->verdict], exact_data_words[verdict->exact_data], verdict->text);
}

static json_t *median_object(const rh_spread *of) {
  return rh_json("median:f spread:f samples:i", of->median, rh_spread_precision(of), of->samples);
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

/* The devices of a stream, or of data that stay on several. */
static json_t *devices_array(const rh_run_state *run) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < run->n_devices; k++) {
    const rh_worker *one = &run->streams[k];
    json_array_append_new(
        array, rh_json("device:s strategy:s chunks:o? elements:u failure:s",
                       one->device ? one->device->label : "host",
                       one->is_up ? run->devices[k].spec.strategy : NULL,
                       run->reduction ? json_integer((json_int_t)one->chunks) : NULL, one->n,
                       one->failure.status == RH_OK ? NULL : one->failure.message));
  }
  return array;
}

static json_t *stream_object(const rh_run_state *run) {
  const rh_reduction *s = rh_run_streamed_by(run);
  if (!s) return NULL;
  json_t *times = json_array();
  int has_copies = s->copies[1] > 0;
  for (uint32_t k = 0; run->app->typed->verbose && k < s->n_times; k++) {
    const rh_chunk_times *at = &s->times[k]; /* [begin, end], from the first read on */
    json_array_append_new(times, json_pack("[[o, o], [o, o], [o, o]]", rh_json_number(at->read[0]),
                                           rh_json_number(at->read[1]), rh_json_number(at->copy[0]),
                                           rh_json_number(at->copy[1]), rh_json_number(at->run[0]),
                                           rh_json_number(at->run[1])));
  }
  return rh_json("chunks:u chunk_elements:u slot_bytes:u slots:i readers:i pinned:b in_place:b "
                 "check:s chunks_checked:u seconds:f read_s:f copy_s:f reduce_s:f "
                 "copies_begin_s:o? copies_end_s:o? times:o devices:o",
                 s->chunks, s->chunk_n, s->slot_bytes, s->slots, s->readers, (int)s->is_pinned,
                 (int)s->in_place, rh_check_name(run->report.check), s->partial->checked,
                 s->seconds, s->read_s, s->copy_s, s->run_s,
                 has_copies ? rh_json_number(s->copies[0]) : NULL,
                 has_copies ? rh_json_number(s->copies[1]) : NULL, times, devices_array(run));
}

static json_t *setup_object(const rh_run_state *run) {
  const rh_opened *opened = &run->report.opened;
  if (run->reduction || run->resident.parts || run->report.ranks) return NULL;
  if (!rh_run_device_of(run)) return json_object();
  return rh_json("build:f build_cached:b upload:f in_place:b", opened->build_s,
                 rh_run_build_is_cached(run), opened->upload_s, (int)opened->in_place);
}

/* ---- A run over all elements ---- */

/* The operation, by what it was reduced, and how that was set. */
static json_t *run_object(const rh_run_state *run) {
  const rh_job_spec *spec = &run->job;
  const rh_operator *op = spec->operation.op;
  const rh_run_report *report = &run->report;
  const rh_cl_device *device = rh_run_device_of(run);
  const rh_run_device *own = run->n_devices ? &run->devices[report->by] : NULL;
  const char *chosen = own ? own->context->chosen : "", *note = report->opened.params_note;
  const char *where = device ? device->label : "host";
  return rh_json("parts:o? device:s strategy:s plugin:s isolated:b op:s type:s result_type:s n:u "
                 "bytes:u input:s params:o params_from:s params_note:s chosen:s",
                 json_count(report->parts), report->parts ? NULL : where, spec->strategy,
                 spec->plugin, own && own->isolated, op->name,
                 rh_type_name(op->is_struct ? op->operands[0].type : op->type),
                 rh_type_name(report->result.type), spec->operation.n,
                 spec->operation.n * rh_operator_element_bytes(op), run->app->typed->input,
                 params_object(&report->opened), rh_params_from_name(report->opened.params_from),
                 *note ? note : NULL, *chosen ? chosen : NULL);
}

static json_t *answer_object(const rh_run_state *run) {
  const rh_run_report *report = &run->report;
  const rh_result *result = &report->result;
  const char *path = rh_run_is_wrong(run) ? NULL : run->app->typed->state;
  int is_timed = report->quick.time.samples > 0;
  char text[64];
  json_t *state = path ? rh_json("file:s n:u", path, report->state_n) : NULL, *resident = NULL;
  if (run->resident.parts)
    resident = rh_json("load_s:f first_call_s:f devices:o", run->resident.load_s, report->first_s,
                       devices_array(run));
  return rh_json(
      "status:s value:s index:o? fields:o? accuracy:o? check:o launches:i stream:o? resident:o? "
      "setup_s:o? ranks:o? hosts:o? transport:o? ranks_s:o? state:o? time_s:o? latency_s:o? "
      "timer:o?",
      rh_run_is_wrong(run) ? "wrong" : "ok", rh_format_exact(text, result), json_index(result),
      rh_result_has_fields(result) ? fields_object(result) : NULL,
      json_string(run->job.operation.accuracy ? "exact" : NULL), check_object(run),
      report->opened.launches, stream_object(run), resident, setup_object(run),
      json_count(report->ranks), json_count(report->hosts), json_string(report->transport),
      report->ranks ? rh_json_number(report->ranks_s) : NULL, state,
      is_timed ? median_object(&report->quick.time) : NULL,
      is_timed ? median_object(&report->quick.latency) : NULL,
      json_string(is_timed ? "host" : NULL));
}

static rh_status print_whole(const rh_run_state *run, rh_error *error) {
  json_t *devices = json_array(), *result = run_object(run), *answer = answer_object(run);
  json_object_update(result, answer);
  json_decref(answer);
  for (uint32_t k = 0; k < run->n_devices; k++)
    if (run->streams[k].device)
      json_array_append_new(devices, rh_json_device(run->streams[k].device));
  if (run->app->beside) {
    rh_beside_add_json(run->app->beside, devices, result);
    return RH_OK;
  }
  return rh_json_print(rh_json("devices:o results:o", devices, rh_json_one(result)), error);
}

/* ---- A run over segments ---- */

static json_t *value_of(const rh_result *result) {
  char text[64];
  if (rh_result_has_fields(result)) return fields_object(result);
  const char *value = rh_format_exact(text, result);
  if (!result->indexed) return json_string(value);
  return rh_json("index:o value:s", json_index(result), value);
}

static rh_status print_segments(const rh_run_state *run, rh_error *error) {
  const rh_shape *shape = &run->shape;
  const rh_segments *s = &run->segments;
  const rh_operation *operation = &s->spec.operation;
  json_t *lengths = json_array(), *values = json_array();
  json_t *labels = shape->labels.type ? json_array() : NULL, *judged = NULL;
  const rh_segments_check *check = &run->judged;
  uint64_t parts = rh_run_parts(run), devices = 0;
  for (uint32_t k = 0; k < shape->n_dimensions; k++)
    json_array_append_new(lengths, json_integer((json_int_t)shape->lengths[k]));
  for (uint64_t k = 0; k < s->n; k++) {
    const rh_result one = rh_run_segment(run, k);
    json_array_append_new(values, value_of(&one));
    if (labels) json_array_append_new(labels, json_string(rh_run_segment_name(run, k)));
  }
  for (uint32_t k = 0; k < run->n_devices; k++) devices += run->streams[k].chunks > 0;
  if (rh_run_is_checked(run))
    judged = rh_json("segments:u not_judged:u worst:u bound_fraction:f outcome:s", check->n,
                     check->unjudged, check->part > 0 ? check->worst : UINT64_MAX, check->part,
                     check->unjudged ? "not judged" : "ok");
  json_t *result = rh_json(
      "strategy:s op:s type:s n:u input:s segments:u order:s one_run_for_each:b copied:b "
      "result_type:s check:o status:s shape:o values:o labels:o? parts:o? devices:o? ranks:o? "
      "time_s:o?",
      s->spec.strategy, operation->op->name, rh_type_name(operation->op->operands[0].type),
      operation->n, run->app->typed->input, s->n, shape->fortran_order ? "F" : "C", (int)s->is_loop,
      (int)s->was_copied, s->n ? rh_type_name(rh_run_segment(run, 0).type) : "", judged, "ok",
      lengths, values, labels, json_count(parts), parts ? json_integer((json_int_t)devices) : NULL,
      parts ? json_count(run->report.ranks) : NULL,
      run->report.quick.time.samples ? rh_json_number(run->report.quick.time.median) : NULL);
  return rh_json_print(rh_json("results:o", rh_json_one(result)), error);
}

rh_status rh_run_print_json(const rh_run_state *run, rh_error *error) {
  return run->asked.operation.layout ? print_segments(run, error) : print_whole(run, error);
}
