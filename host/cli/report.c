#include "report.h"
#include "../core/run/exact_data.h"
#include "beside.h"
#include "json.h"
#include "nan_note.h"
#include "plain.h"

#include <math.h>
#include <string.h>

static uint64_t bytes_of(const rh_run_report *report) {
  const rh_job_spec *spec = report->spec;
  return spec->operation.n * rh_operator_element_bytes(spec->operation.op);
}

/* Expression k of a map, where several results have one name; else its length is 0. */
static int map_of(const rh_result *result, const char *map, uint32_t k, const char **part) {
  int same = 0, depth = 0;
  for (uint32_t j = 0; j < result->n_fields; j++)
    same |= j != k && strcmp(result->fields[j].name, result->fields[k].name) == 0;
  if (!same || !map) return 0;
  const char *end = *part = map + strspn(map, " ");
  for (; *end && (k || depth || *end != ','); end++) {
    depth += (*end == '(') - (*end == ')');
    if (*end != ',' || depth || !k) continue;
    k--;
    *part = end + 1 + strspn(end + 1, " ");
  }
  return k ? 0 : (int)(end - *part);
}

/* "mean 0.5  variance 0.25": all results of the user's operator; "sum of x 1  sum of x*x 1". */
static void format_fields(char text[RH_ANSWER_BYTES], const rh_result *result, const char *map) {
  size_t used = 0;
  for (uint32_t k = 0; k < result->n_fields && used < RH_ANSWER_BYTES; k++) {
    const rh_result_field *field = &result->fields[k];
    rh_result one = {.type = field->type};
    char value[64];
    memcpy(&one.value, &field->value, sizeof one.value);
    const char *part = "";
    int length = map_of(result, map, k, &part);
    used += (size_t)snprintf(text + used, RH_ANSWER_BYTES - used, "%s%s%s%.*s %s", k ? "  " : "",
                             field->name, length ? " of " : "", length, part,
                             rh_format_value(value, &one));
  }
}

/* "257 (value 190.2)" for an index, else the value. */
void rh_report_answer(char text[RH_ANSWER_BYTES], const rh_app *app, const rh_result *result) {
  char value[64];
  if (rh_result_has_fields(result)) {
    format_fields(text, result, app->typed->map);
    return;
  }
  rh_format_value(value, result);
  if (result->indexed)
    snprintf(text, RH_ANSWER_BYTES, "%llu (value %s)", (unsigned long long)result->index, value);
  else
    snprintf(text, RH_ANSWER_BYTES, "%s", value);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* "f32", or those of all operands: "f32,f64". */
static const char *types_of(const rh_job_spec *spec, char text[64]) {
  size_t used = 0;
  for (uint32_t k = 0; k < spec->operation.op->n_operands && used < 60; k++)
    used += (size_t)snprintf(text + used, 64 - used, "%s%s", k ? "," : "",
                             rh_type_name(spec->operation.op->operands[k].type));
  return text;
}

/* Of several: those that worked on it. */
static uint32_t count_devices(const rh_run_report *report) {
  const rh_resident *resident = report->resident;
  uint32_t n = 0;
  for (uint32_t k = 0; report->devices && k < report->devices->n; k++)
    n += resident ? resident->seats[k].part.n_nodes > 0 : report->devices->streams[k].is_up;
  return n;
}

static void print_heading(const rh_app *app, const rh_run_report *report) {
  char size[32], types[64];
  const rh_job_spec *spec = report->spec;
  printf("%s%s%s  %s %s  n = %llu (%s)", rh_style_on(app->terminal, RH_BOLD), spec->strategy,
         rh_style_off(app->terminal, RH_BOLD), rh_plain(spec->operation.op->name),
         types_of(spec, types), (unsigned long long)spec->operation.n,
         rh_format_bytes(size, bytes_of(report)));
  const char *input = app->typed->input;
  if (input) printf("  of %s", strcmp(input, "-") == 0 ? "standard input" : rh_plain(input));
  if (report->npy && report->npy->dimensions > 1)
    printf(", over all %u axes of %s", report->npy->dimensions, report->npy->shape);
  if (report->parts)
    printf("  merged from %u part%s\n", report->parts, report->parts == 1 ? "" : "s");
  else if (count_devices(report) > 1)
    printf("  on %u devices\n", count_devices(report));
  else if (report->device)
    printf("  on %s %s\n", report->device->label, rh_plain(report->device->name));
  else
    printf("  on the host\n");
}

/* "exact 3.5   equal", or of a stream "9 of 128 chunks   equal". */
static void print_compared(const rh_app *app, const rh_run_report *report) {
  const rh_reference *reference = &report->reference;
  const rh_reduction *streamed = report->streamed;
  const char *text = report->verdict.text;
  char exact[RH_ANSWER_BYTES];
  if (streamed && report->check == RH_CHECK_SAMPLED) {
    printf("check      %llu of %llu chunks   the last: %s",
           (unsigned long long)streamed->partial->checked, (unsigned long long)streamed->chunks,
           text);
    return;
  }
  if (report->parts && report->check == RH_CHECK_SAMPLED) {
    printf("check      sampled: %s", text);
    return;
  }
  if (report->spec->operation.accuracy && !reference->exact) {
    printf("check      exact, rounded once; the strategy's own answer: %s", text);
    return;
  }
  rh_report_answer(exact, app, &reference->answer);
  printf("check      %s %s   %s",
         reference->sampled.n_orders < 2 ? "exact"
         : reference->sampled.by_device  ? "sampled"
                                         : "canonical",
         exact, text);
}

static void print_verdict(const rh_app *app, const rh_run_report *report) {
  static const char *const words[] = {"ok", "WRONG", "not judged"};
  static const int styles[] = {RH_GOOD, RH_BAD, RH_BOLD};
  const rh_verdict *verdict = &report->verdict;
  int style = styles[verdict->verdict];
  print_compared(app, report);
  if (verdict->exact_data != RH_EXACT_DATA_WRONG && verdict->bound > 0 &&
      isfinite(verdict->bound) && isfinite(verdict->error)) {
    if (isfinite(verdict->error_ulp)) printf(", %.2g ulp", verdict->error_ulp);
    printf(", %.2g %% of the bound", 100 * verdict->error / verdict->bound);
  }
  if (*verdict->exact_text) printf("; %s", verdict->exact_text);
  printf("   %s%s%s\n", rh_style_on(app->terminal, style), words[verdict->verdict],
         rh_style_off(app->terminal, style));
}

static void print_measured(const rh_run_report *report) {
  char time[32], latency[32], spread[32] = "";
  const rh_quick *quick = &report->quick;
  double n = (double)report->spec->operation.n, seconds = quick->time.seconds;
  if (quick->time.samples > 1) /* one sample has no interval */
    snprintf(spread, sizeof spread, " +-%.1f %%", 100 * quick->time.spread);
  printf("time       %s%s   %.3g Gelem/s   %.3g GB/s   host clock, %s%u sample%s\n",
         rh_format_seconds(time, seconds), spread, 1e-9 * n / seconds,
         1e-9 * (double)bytes_of(report) / seconds,
         report->opened.finishes_on_host ? "finishes on the host, " : "", quick->time.samples,
         quick->time.samples == 1 ? "" : "s");
  printf("latency    %s   one call, result on the host\n",
         rh_format_seconds(latency, quick->latency.seconds));
}

/* A run that built nothing counts as cached. */
static int is_build_cached(const rh_opened *opened) {
  return opened->build_cached || opened->build_s == 0;
}

/* Prints what each of several devices did: "onepass, 16 of 64 chunks". */
static void print_share(const rh_run_report *report, uint32_t k) {
  const rh_worker *one = &report->devices->streams[k];
  int has_failed = one->failure.status != RH_OK;
  printf("%s%s, ", report->devices->list[k].spec.strategy, one->device ? "" : " on the host");
  if (report->resident)
    printf("%llu of %llu elements", (unsigned long long)one->n,
           (unsigned long long)report->spec->operation.n);
  else
    printf("%llu of %llu chunks", (unsigned long long)one->chunks,
           (unsigned long long)report->streamed->chunks);
  printf("%s\n", has_failed ? ", then it failed" : "");
}

static void print_devices(const rh_run_report *report) {
  const rh_run_devices *devices = report->devices;
  for (uint32_t k = 0; devices->n > 1 && k < devices->n; k++) {
    const rh_worker *one = &devices->streams[k];
    const rh_cl_device *device = devices->list[k].context->device;
    printf("device     %s %s   ", device->label, rh_plain(device->name));
    if (one->is_up || (report->resident && one->failure.status == RH_OK))
      print_share(report, k);
    else
      printf("left out\n");
  }
}

/* Where the time of a device went that gets copies: what they could not be beside. */
static void print_copies(const rh_run_report *report) {
  char begin[32], idle[32], end[32];
  const rh_reduction *s = report->streamed;
  double idle_s = s->copies[1] - s->copies[0] - s->copy_s, after_s = s->seconds - s->copies[1];
  if (s->in_place || s->copies[1] == 0 || report->devices->n > 1) return;
  printf("copies     begin after %s, idle for %s in between, end %s before the answer\n",
         rh_format_seconds(begin, s->copies[0] > 0 ? s->copies[0] : 0),
         rh_format_seconds(idle, idle_s > 0 ? idle_s : 0),
         rh_format_seconds(end, after_s > 0 ? after_s : 0));
}

static void print_streamed(const rh_app *app, const rh_run_report *report) {
  char chunk[32], time[32], read[32], copy[32], run[32];
  const rh_reduction *s = report->streamed;
  double bytes = (double)s->n * rh_operator_element_bytes(report->spec->operation.op);
  printf("stream     %llu chunk%s of %s in %u slots, %u reader%s   %s   %.3g GB/s\n",
         (unsigned long long)s->chunks, s->chunks == 1 ? "" : "s",
         rh_format_bytes(chunk, s->slot_bytes), s->slots, s->readers, s->readers == 1 ? "" : "s",
         rh_format_seconds(time, s->seconds), bytes / 1e9 / s->seconds);
  print_devices(report);
  if (!app->typed->verbose) return;
  printf("overlap    reads %s, copies %s, reductions %s in %s; %s\n",
         rh_format_seconds(read, s->read_s),
         s->in_place ? "none" : rh_format_seconds(copy, s->copy_s),
         rh_format_seconds(run, s->run_s), time,
         s->in_place    ? "read where they are reduced"
         : s->is_pinned ? "copied from pinned memory"
                        : "copied from pageable memory");
  print_copies(report);
}

static void print_setup(const rh_run_report *report) {
  char build[32], upload[32];
  const rh_opened *opened = &report->opened;
  if (report->resident) {
    printf("setup      %s   until all elements were there and checked\n",
           rh_format_seconds(build, report->resident->load_s));
    return;
  }
  if (!report->device) return;
  printf("setup      build %s (%s)   ", rh_format_seconds(build, opened->build_s),
         is_build_cached(opened) ? "cached" : "not cached");
  if (opened->in_place)
    printf("input in place, nothing copied\n");
  else
    printf("upload %s, %.3g GB/s\n", rh_format_seconds(upload, opened->upload_s),
           opened->upload_s > 0 ? 1e-9 * (double)bytes_of(report) / opened->upload_s : 0);
}

static void print_details(const rh_run_report *report) {
  const rh_opened *opened = &report->opened;
  char time[32], scratch[32], local[32];
  printf("plugin     %s%s\n", rh_plain(report->spec->plugin),
         report->isolated ? "   in a process of its own" : "");
  for (uint32_t k = 0; k < opened->n_used; k++)
    printf("%s%s=%s", k ? " " : "parameters ", opened->used[k].key, rh_plain(opened->used[k].text));
  if (opened->n_used)
    printf("%s%s\n", *opened->params_note ? "   " : "", rh_plain(opened->params_note));
  printf("needs      %u launch%s, %s on the device, %s local in a group, depth ", opened->launches,
         opened->launches == 1 ? "" : "es", rh_format_bytes(scratch, opened->scratch_bytes),
         rh_format_bytes(local, opened->local_bytes));
  if (opened->depth)
    printf("%llu\n", (unsigned long long)opened->depth);
  else
    printf("unknown\n");
  if (report->streamed) return;
  printf("first run  %s", rh_format_seconds(time, report->first_s));
  if (report->checked && !report->resident)
    printf("   reference %s", rh_format_seconds(time, report->check_s));
  putchar('\n');
}

static void print_ranks(const rh_run_report *report) {
  char time[32];
  printf("ranks      %u on %u host%s, transport %s   %s, %.3g GB/s\n", report->ranks, report->hosts,
         report->hosts == 1 ? "" : "s", report->transport, rh_format_seconds(time, report->ranks_s),
         1e-9 * (double)bytes_of(report) / report->ranks_s);
}

static void print_text(const rh_app *app, const rh_run_report *report) {
  char answer[RH_ANSWER_BYTES];
  print_heading(app, report);
  rh_report_answer(answer, app, &report->result);
  printf("result     %s%s%s\n", rh_style_on(app->terminal, RH_BOLD), answer,
         rh_style_off(app->terminal, RH_BOLD));
  if (report->checked)
    print_verdict(app, report);
  else
    printf("check      skipped (%s)\n", app->typed->no_check ? "--no-check" : "--check=none");
  if (report->streamed) print_streamed(app, report);
  if (report->resident) print_devices(report);
  if (report->ranks) print_ranks(report);
  if (report->measured) print_measured(report);
  if (report->measured ||
      (app->typed->verbose && !report->streamed && !report->ranks && !report->parts))
    print_setup(report);
  if (app->typed->verbose && !report->ranks && !report->parts) print_details(report);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *const outcome_words[] = {"ok", "wrong", "not judged"};
static const char *const exact_data_words[] = {"", "ok", "wrong", "not tried"};

/* JSON's integers do not hold the index that is none. */
static json_t *json_index(uint64_t index) {
  return index == UINT64_MAX ? json_null() : json_integer((json_int_t)index);
}

static json_t *check_object(const rh_run_report *report) {
  char text[64];
  if (!report->checked) return json_null();
  const rh_verdict *verdict = &report->verdict;
  const rh_result *exact = &report->reference.answer;
  json_t *object = json_object();
  if (exact->indexed) json_object_set_new(object, "reference_index", json_index(exact->index));
  json_object_set_new(object, "reference", json_string(rh_format_exact(text, exact)));
  json_object_set_new(object, "error", rh_json_number(verdict->error));
  json_object_set_new(object, "error_ulp", rh_json_number(verdict->error_ulp));
  json_object_set_new(object, "bound", rh_json_number(verdict->bound));
  json_object_set_new(object, "bound_fraction", rh_json_number(verdict->error / verdict->bound));
  json_object_set_new(object, "depth", json_integer((json_int_t)verdict->depth));
  json_object_set_new(object, "ok",
                      verdict->verdict == RH_VERDICT_UNJUDGED
                          ? json_null()
                          : json_boolean(verdict->verdict == RH_VERDICT_OK));
  json_object_set_new(object, "outcome", json_string(outcome_words[verdict->verdict]));
  json_object_set_new(object, "exact_data",
                      *exact_data_words[verdict->exact_data]
                          ? json_string(exact_data_words[verdict->exact_data])
                          : json_null());
  json_object_set_new(object, "text", json_string(verdict->text));
  return object;
}

static json_t *median_object(const rh_median *median) {
  json_t *object = json_object();
  json_object_set_new(object, "median", rh_json_number(median->seconds));
  json_object_set_new(object, "spread", rh_json_number(median->spread));
  json_object_set_new(object, "samples", json_integer(median->samples));
  return object;
}

static json_t *params_object(const rh_run_report *report) {
  json_t *object = json_object();
  for (uint32_t k = 0; k < report->opened.n_used; k++) {
    const rh_used_param *param = &report->opened.used[k];
    json_object_set_new(object, param->key,
                        param->is_word ? rh_json_bytes(param->text) : json_integer(param->number));
  }
  return object;
}

static json_t *fields_object(const rh_result *result) {
  json_t *object = json_object();
  for (uint32_t k = 0; k < result->n_fields; k++) {
    const rh_result_field *field = &result->fields[k];
    rh_result one = {.type = field->type};
    char text[64];
    memcpy(&one.value, &field->value, sizeof one.value);
    json_object_set_new(object, field->name, json_string(rh_format_exact(text, &one)));
  }
  return object;
}

json_t *rh_report_value(const rh_result *result) {
  char text[64];
  if (rh_result_has_fields(result)) return fields_object(result);
  const char *value = rh_format_exact(text, result);
  if (!result->indexed) return json_string(value);
  return json_pack("{s:o, s:s}", "index", json_index(result->index), "value", value);
}

/* [begin, end] of the reads, copies and reductions of a chunk, from the first read on. */
static json_t *times_array(const rh_chunk_times *times) {
  json_t *array = json_array();
  const double *const pairs[] = {times->read, times->copy, times->run};
  for (int k = 0; k < 3; k++)
    json_array_append_new(
        array, json_pack("[o,o]", rh_json_number(pairs[k][0]), rh_json_number(pairs[k][1])));
  return array;
}

/* The devices of a stream, or of data that stay on several. */
static json_t *devices_array(const rh_run_report *report) {
  const rh_run_devices *devices = report->devices;
  json_t *array = json_array();
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_worker *one = &devices->streams[k];
    const char *failure = one->failure.status == RH_OK ? NULL : one->failure.message;
    json_t *object = json_object();
    json_object_set_new(object, "device", json_string(one->device ? one->device->label : "host"));
    json_object_set_new(object, "strategy",
                        one->is_up ? json_string(devices->list[k].spec.strategy) : json_null());
    if (report->streamed)
      json_object_set_new(object, "chunks", json_integer((json_int_t)one->chunks));
    json_object_set_new(object, "elements", json_integer((json_int_t)one->n));
    json_object_set_new(object, "failure", failure ? rh_json_bytes(failure) : json_null());
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *stream_object(const rh_app *app, const rh_run_report *report) {
  const rh_reduction *s = report->streamed;
  json_t *object = json_object(), *times = json_array();
  json_object_set_new(object, "chunks", json_integer((json_int_t)s->chunks));
  json_object_set_new(object, "chunk_elements", json_integer((json_int_t)s->chunk_n));
  json_object_set_new(object, "slot_bytes", json_integer((json_int_t)s->slot_bytes));
  json_object_set_new(object, "slots", json_integer(s->slots));
  json_object_set_new(object, "readers", json_integer(s->readers));
  json_object_set_new(object, "pinned", json_boolean(s->is_pinned));
  json_object_set_new(object, "in_place", json_boolean(s->in_place));
  json_object_set_new(object, "check", json_string(rh_check_name((uint32_t)report->check)));
  json_object_set_new(object, "chunks_checked", json_integer((json_int_t)s->partial->checked));
  json_object_set_new(object, "seconds", rh_json_number(s->seconds));
  json_object_set_new(object, "read_s", rh_json_number(s->read_s));
  json_object_set_new(object, "copy_s", rh_json_number(s->copy_s));
  json_object_set_new(object, "reduce_s", rh_json_number(s->run_s));
  if (s->copies[1] > 0) {
    json_object_set_new(object, "copies_begin_s", rh_json_number(s->copies[0]));
    json_object_set_new(object, "copies_end_s", rh_json_number(s->copies[1]));
  }
  for (uint32_t k = 0; app->typed->verbose && k < s->n_times; k++)
    json_array_append_new(times, times_array(&s->times[k]));
  json_object_set_new(object, "times", times);
  json_object_set_new(object, "devices", devices_array(report));
  return object;
}

static json_t *resident_object(const rh_run_report *report) {
  json_t *object = json_object();
  json_object_set_new(object, "load_s", rh_json_number(report->resident->load_s));
  json_object_set_new(object, "first_call_s", rh_json_number(report->first_s));
  json_object_set_new(object, "devices", devices_array(report));
  return object;
}

static json_t *result_object(const rh_app *app, const rh_run_report *report) {
  const rh_job_spec *spec = report->spec;
  char text[64];
  int wrong = report->checked && report->verdict.verdict == RH_VERDICT_WRONG;
  json_t *object = json_object();
  if (report->parts) json_object_set_new(object, "parts", json_integer(report->parts));
  json_object_set_new(object, "device",
                      report->parts ? json_null()
                                    : json_string(report->device ? report->device->label : "host"));
  json_object_set_new(object, "strategy", json_string(spec->strategy));
  json_object_set_new(object, "plugin", spec->plugin ? rh_json_bytes(spec->plugin) : json_null());
  json_object_set_new(object, "isolated", json_boolean(report->isolated));
  json_object_set_new(object, "op", json_string(spec->operation.op->name));
  json_object_set_new(object, "type", json_string(rh_type_name(spec->operation.op->type)));
  json_object_set_new(object, "result_type", json_string(rh_type_name(report->result.type)));
  json_object_set_new(object, "n", json_integer((json_int_t)spec->operation.n));
  json_object_set_new(object, "bytes", json_integer((json_int_t)bytes_of(report)));
  json_object_set_new(object, "input",
                      app->typed->input ? rh_json_bytes(app->typed->input) : json_null());
  json_object_set_new(object, "params", params_object(report));
  json_object_set_new(object, "params_from",
                      json_string(rh_params_from_name(report->opened.params_from)));
  json_object_set_new(object, "params_note",
                      *report->opened.params_note ? rh_json_bytes(report->opened.params_note)
                                                  : json_null());
  json_object_set_new(object, "chosen",
                      report->chosen && *report->chosen ? rh_json_bytes(report->chosen)
                                                        : json_null());
  json_object_set_new(object, "status", json_string(wrong ? "wrong" : "ok"));
  json_object_set_new(object, "value", json_string(rh_format_exact(text, &report->result)));
  if (report->result.indexed)
    json_object_set_new(object, "index", json_index(report->result.index));
  if (rh_result_has_fields(&report->result))
    json_object_set_new(object, "fields", fields_object(&report->result));
  if (report->spec->operation.accuracy)
    json_object_set_new(object, "accuracy", json_string("exact"));
  json_object_set_new(object, "check", check_object(report));
  json_object_set_new(object, "launches", json_integer(report->opened.launches));
  if (report->streamed) json_object_set_new(object, "stream", stream_object(app, report));
  if (report->resident) json_object_set_new(object, "resident", resident_object(report));
  return object;
}

static json_t *setup_object(const rh_run_report *report) {
  const rh_opened *opened = &report->opened;
  json_t *object = json_object();
  if (!report->device) return object;
  json_object_set_new(object, "build", rh_json_number(opened->build_s));
  json_object_set_new(object, "build_cached", json_boolean(is_build_cached(opened)));
  json_object_set_new(object, "upload", rh_json_number(opened->upload_s));
  json_object_set_new(object, "in_place", json_boolean(opened->in_place));
  return object;
}

static rh_status print_json(const rh_app *app, const rh_run_report *report, rh_error *error) {
  json_t *document = rh_json_document(), *devices = json_array(), *results = json_array();
  json_t *result = result_object(app, report);
  for (uint32_t k = 0; report->devices && k < report->devices->n; k++)
    if (report->devices->streams[k].device)
      json_array_append_new(devices, rh_json_device(report->devices->streams[k].device));
  if (report->device && !report->devices)
    json_array_append_new(devices, rh_json_device(report->device));
  if (!report->streamed && !report->ranks && !report->resident)
    json_object_set_new(result, "setup_s", setup_object(report));
  if (report->ranks) {
    json_object_set_new(result, "ranks", json_integer(report->ranks));
    json_object_set_new(result, "hosts", json_integer(report->hosts));
    json_object_set_new(result, "transport", json_string(report->transport));
    json_object_set_new(result, "ranks_s", rh_json_number(report->ranks_s));
  }
  if (report->measured) {
    json_object_set_new(result, "time_s", median_object(&report->quick.time));
    json_object_set_new(result, "latency_s", median_object(&report->quick.latency));
    json_object_set_new(result, "timer", json_string("host"));
  }
  if (app->beside) {
    rh_beside_add_json(app->beside, devices, result);
    json_decref(results);
    json_decref(document);
    return RH_OK;
  }
  json_array_append_new(results, result);
  json_object_set_new(document, "devices", devices);
  json_object_set_new(document, "results", results);
  return rh_json_print(document, error);
}

/* One line for each result. */
static void print_fields(const rh_result *result) {
  for (uint32_t k = 0; k < result->n_fields; k++) {
    rh_result one = {.type = result->fields[k].type};
    char text[64];
    memcpy(&one.value, &result->fields[k].value, sizeof one.value);
    printf("%s\n", rh_format_exact(text, &one));
  }
}

void rh_report_print_value(const rh_result *result) {
  char text[64];
  if (rh_result_has_fields(result))
    print_fields(result);
  else if (result->indexed)
    printf("%llu\n", (unsigned long long)result->index);
  else
    printf("%s\n", rh_format_exact(text, result));
}

rh_status rh_run_report_print(const rh_app *app, const rh_run_report *report, rh_error *error) {
  int wrong = report->checked && report->verdict.verdict == RH_VERDICT_WRONG;
  if (app->typed->json) return print_json(app, report, error);
  if (!app->typed->quiet && app->beside)
    rh_beside_add(app->beside, report->spec->strategy, &report->result,
                  report->checked ? &report->verdict : NULL,
                  report->measured ? report->quick.time.seconds : 0);
  else if (!app->typed->quiet)
    print_text(app, report);
  else if (!wrong)
    rh_report_print_value(&report->result);
  return RH_OK;
}

void rh_run_report_warn(const rh_app *app, const rh_run_report *report) {
  const rh_verdict *verdict = &report->verdict;
  char text[640], why[512];
  rh_note_nan(app, &report->result);
  if (!report->checked || verdict->verdict != RH_VERDICT_UNJUDGED) return;
  snprintf(text, sizeof text, "warning: the result of '%s' is not judged: %s",
           report->spec->strategy, rh_verdict_why(verdict, why));
  rh_terminal_say(app->terminal, text);
}
