
#include "run.h"

uint64_t rh_report_bytes(const rh_operation *operation) {
  return operation->n * rh_operator_element_bytes(operation->op);
}

/* "257 (value 190.2)" for an index, "mean 0.5  variance 0.25" for all results of the user's
 * operator, else the value. */
const char *rh_report_answer(const rh_result *result) {
  const char *text = "";
  char value[64];
  for (uint32_t k = 0; rh_result_has_fields(result) && k < result->n_fields; k++) {
    const rh_result one = rh_report_field(result, k);
    text = rh_show("%s%s%s %s", text, k ? "  " : "", result->fields[k].name,
                   rh_format_value(value, &one));
  }
  if (rh_result_has_fields(result)) return text;
  rh_format_value(value, result);
  if (!result->indexed) return rh_show("%s", value);
  return rh_show("%llu (value %s)", (unsigned long long)result->index, value);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* With the types of all operands: "f32,f64". */
void rh_report_print_heading(const rh_app *app, const char *strategy,
                             const rh_operation *operation) {
  const char *input = app->typed->input;
  const rh_operator *op = operation->op;
  printf("%s  %s ", rh_styled(app->terminal, RH_BOLD, strategy), rh_plain(op->name));
  for (uint32_t k = 0; k < op->n_operands; k++)
    printf("%s%s", k ? "," : "", rh_type_name(op->operands[k].type));
  printf("  n = %llu (%s)", (unsigned long long)operation->n, rh_bytes(rh_report_bytes(operation)));
  if (input) printf("  of %s", strcmp(input, "-") == 0 ? "standard input" : rh_plain(input));
}

/* Of several: those that worked on it. */
static uint32_t count_devices(const rh_run_report *report) {
  const rh_resident *resident = report->resident;
  uint32_t n = 0;
  for (uint32_t k = 0; report->devices && k < report->devices->n; k++)
    n += resident ? resident->parts[k].n_nodes > 0 : report->devices->streams[k].is_up;
  return n;
}

static void print_heading(const rh_app *app, const rh_run_report *report) {
  rh_report_print_heading(app, report->spec->strategy, &report->spec->operation);
  if (report->npy && report->npy->dimensions > 1)
    printf(", over all %u axes of %s", report->npy->dimensions, report->npy->shape);
  if (report->parts)
    printf("  merged from %u part%s\n", report->parts, report->parts == 1 ? "" : "s");
  else if (count_devices(report) > 1) printf("  on %u devices\n", count_devices(report));
  else if (report->device)
    printf("  on %s %s\n", report->device->label, rh_plain(report->device->name));
  else printf("  on the host\n");
}

/* "exact 3.5   equal", or of a stream "9 of 128 chunks   equal". */
static void print_compared(const rh_run_report *report) {
  const rh_reference *reference = &report->reference;
  const rh_reduction *streamed = report->streamed;
  const char *text = report->verdict.text;
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
  if (report->spec->operation.accuracy && (!reference->exact || reference->op->divides)) {
    printf("check      exact, rounded once%s%s",
           report->opened.depth == RH_DEPTH_ONE_ROUNDING ? ": " : "; the strategy's own answer: ",
           text);
    return;
  }
  printf("check      %s %s   %s%s",
         reference->sampled.n_orders < 2 ? "exact"
         : reference->sampled.by_device  ? "sampled"
                                         : "canonical",
         rh_report_answer(&reference->answer), text,
         report->spec->operation.accuracy ? ", exact without --accuracy exact, too" : "");
}

static void print_verdict(const rh_app *app, const rh_run_report *report) {
  static const char *const words[] = {"ok", "WRONG", "not judged"};
  static const int styles[] = {RH_GOOD, RH_BAD, RH_BOLD};
  const rh_verdict *verdict = &report->verdict;
  int style = styles[verdict->verdict];
  print_compared(report);
  if (verdict->exact_data != RH_EXACT_DATA_WRONG && verdict->bound > 0 &&
      isfinite(verdict->bound) && isfinite(verdict->error)) {
    if (isfinite(verdict->error_ulp)) printf(", %.2g ulp", verdict->error_ulp);
    printf(", %.2g %% of the bound", 100 * verdict->error / verdict->bound);
  }
  if (*verdict->exact_text) printf("; %s", verdict->exact_text);
  printf("   %s\n", rh_styled(app->terminal, style, words[verdict->verdict]));
}

void rh_report_print_time(const rh_operation *operation, const rh_spread *time, const char *where) {
  char spread[32] = "";
  double seconds = time->median;
  if (time->samples > 1) /* one sample has no interval */
    snprintf(spread, sizeof spread, " +-%.1f %%", 100 * rh_spread_precision(time));
  printf("time       %s%s   %.3g Gelem/s   %.3g GB/s   host clock, %s%u sample%s\n",
         rh_seconds(seconds), spread, 1e-9 * (double)operation->n / seconds,
         1e-9 * (double)rh_report_bytes(operation) / seconds, where, time->samples,
         time->samples == 1 ? "" : "s");
}

static void print_measured(const rh_run_report *report) {
  rh_report_print_time(&report->spec->operation, &report->quick.time,
                       report->opened.finishes_on_host ? "finishes on the host, " : "");
  printf("latency    %s   one call, result on the host\n",
         rh_seconds(report->quick.latency.median));
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
    if (one->is_up || (report->resident && one->failure.status == RH_OK)) print_share(report, k);
    else printf("left out\n");
  }
}

/* Where the time of a device went that gets copies: what they could not be beside. */
static void print_copies(const rh_run_report *report) {
  const rh_reduction *s = report->streamed;
  double idle_s = s->copies[1] - s->copies[0] - s->copy_s, after_s = s->seconds - s->copies[1];
  if (s->in_place || s->copies[1] == 0 || report->devices->n > 1) return;
  printf("copies     begin after %s, idle for %s in between, end %s before the answer\n",
         rh_seconds(s->copies[0] > 0 ? s->copies[0] : 0), rh_seconds(idle_s > 0 ? idle_s : 0),
         rh_seconds(after_s > 0 ? after_s : 0));
}

static void print_streamed(const rh_app *app, const rh_run_report *report) {
  const rh_reduction *s = report->streamed;
  double bytes = (double)s->n * rh_operator_element_bytes(report->spec->operation.op);
  printf("stream     %llu chunk%s of %s in %u slots, %u reader%s   %s   %.3g GB/s\n",
         (unsigned long long)s->chunks, s->chunks == 1 ? "" : "s", rh_bytes(s->slot_bytes),
         s->slots, s->readers, s->readers == 1 ? "" : "s", rh_seconds(s->seconds),
         bytes / 1e9 / s->seconds);
  print_devices(report);
  if (!app->typed->verbose) return;
  printf("overlap    reads %s, copies %s, reductions %s in %s; %s\n", rh_seconds(s->read_s),
         s->in_place ? "none" : rh_seconds(s->copy_s), rh_seconds(s->run_s), rh_seconds(s->seconds),
         s->in_place    ? "read where they are reduced"
         : s->is_pinned ? "copied from pinned memory"
                        : "copied from pageable memory");
  print_copies(report);
}

static void print_setup(const rh_run_report *report) {
  const rh_opened *opened = &report->opened;
  if (report->resident) {
    printf("setup      %s   until all elements were there and checked\n",
           rh_seconds(report->resident->load_s));
    return;
  }
  if (!report->device) return;
  printf("setup      build %s (%s)   ", rh_seconds(opened->build_s),
         is_build_cached(opened) ? "cached" : "not cached");
  if (opened->in_place) printf("input in place, nothing copied\n");
  else
    printf("upload %s, %.3g GB/s\n", rh_seconds(opened->upload_s),
           opened->upload_s > 0
               ? 1e-9 * (double)rh_report_bytes(&report->spec->operation) / opened->upload_s
               : 0);
}

static void print_details(const rh_run_report *report) {
  const rh_opened *opened = &report->opened;
  printf("plugin     %s%s\n", rh_plain(report->spec->plugin),
         report->isolated ? "   in a process of its own" : "");
  for (uint32_t k = 0; k < opened->n_used; k++)
    printf("%s%s=%s", k ? " " : "parameters ", opened->used[k].key, rh_plain(opened->used[k].text));
  if (opened->n_used)
    printf("%s%s\n", *opened->params_note ? "   " : "", rh_plain(opened->params_note));
  printf("needs      %u launch%s, %s on the device, %s local in a group, depth ", opened->launches,
         opened->launches == 1 ? "" : "es", rh_bytes(opened->scratch_bytes),
         rh_bytes(opened->local_bytes));
  if (opened->depth == RH_DEPTH_ONE_ROUNDING) printf("none: rounded once\n");
  else if (opened->depth) printf("%llu\n", (unsigned long long)opened->depth);
  else printf("unknown\n");
  if (report->streamed) return;
  printf("first run  %s", rh_seconds(report->first_s));
  if (report->checked && !report->resident) printf("   reference %s", rh_seconds(report->check_s));
  putchar('\n');
}

static void print_ranks(const rh_run_report *report) {
  printf("ranks      %u on %u host%s, transport %s   %s, %.3g GB/s\n", report->ranks, report->hosts,
         report->hosts == 1 ? "" : "s", report->transport, rh_seconds(report->ranks_s),
         1e-9 * (double)rh_report_bytes(&report->spec->operation) / report->ranks_s);
}

static void print_text(const rh_app *app, const rh_run_report *report) {
  print_heading(app, report);
  printf("result     %s\n", rh_styled(app->terminal, RH_BOLD, rh_report_answer(&report->result)));
  if (report->checked) print_verdict(app, report);
  else printf("check      skipped (%s)\n", app->typed->no_check ? "--no-check" : "--check=none");
  if (report->streamed) print_streamed(app, report);
  if (report->resident) print_devices(report);
  if (report->ranks) print_ranks(report);
  if (report->has_state)
    printf("state      %s   %llu elements, with these\n", rh_plain(app->typed->state),
           (unsigned long long)report->state_n);
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
  const rh_verdict *verdict = &report->verdict;
  const rh_result *exact = &report->reference.answer;
  if (!report->checked) return json_null();
  const char *exact_data = exact_data_words[verdict->exact_data];
  return json_pack(
      "{s:o*, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:s, s:s?, s:o}", "reference_index",
      exact->indexed ? json_index(exact->index) : NULL, "reference", rh_format_exact(text, exact),
      "error", rh_json_number(verdict->error), "error_ulp", rh_json_number(verdict->error_ulp),
      "bound", rh_json_number(verdict->bound), "bound_fraction",
      rh_json_number(verdict->error / verdict->bound), "depth", (json_int_t)verdict->depth, "ok",
      verdict->verdict == RH_VERDICT_UNJUDGED ? json_null()
                                              : json_boolean(verdict->verdict == RH_VERDICT_OK),
      "outcome", outcome_words[verdict->verdict], "exact_data", *exact_data ? exact_data : NULL,
      "text", rh_json_bytes(verdict->text));
}

static json_t *median_object(const rh_spread *of) {
  return json_pack("{s:o, s:o, s:I}", "median", rh_json_number(of->median), "spread",
                   rh_json_number(rh_spread_precision(of)), "samples", (json_int_t)of->samples);
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
    const rh_result one = rh_report_field(result, k);
    char text[64];
    json_object_set_new(object, result->fields[k].name, json_string(rh_format_exact(text, &one)));
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
  return json_pack("[[o, o], [o, o], [o, o]]", rh_json_number(times->read[0]),
                   rh_json_number(times->read[1]), rh_json_number(times->copy[0]),
                   rh_json_number(times->copy[1]), rh_json_number(times->run[0]),
                   rh_json_number(times->run[1]));
}

/* The devices of a stream, or of data that stay on several. */
static json_t *devices_array(const rh_run_report *report) {
  const rh_run_devices *devices = report->devices;
  json_t *array = json_array();
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_worker *one = &devices->streams[k];
    json_array_append_new(
        array,
        json_pack("{s:o, s:s?, s:o*, s:I, s:o}", "device",
                  rh_json_bytes(one->device ? one->device->label : "host"), "strategy",
                  one->is_up ? devices->list[k].spec.strategy : NULL, "chunks",
                  report->streamed ? json_integer((json_int_t)one->chunks) : NULL, "elements",
                  (json_int_t)one->n, "failure",
                  rh_json_bytes(one->failure.status == RH_OK ? NULL : one->failure.message)));
  }
  return array;
}

static json_t *stream_object(const rh_app *app, const rh_run_report *report) {
  const rh_reduction *s = report->streamed;
  json_t *times = json_array();
  int has_copies = s->copies[1] > 0;
  for (uint32_t k = 0; app->typed->verbose && k < s->n_times; k++)
    json_array_append_new(times, times_array(&s->times[k]));
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:s, s:I, s:o, s:o, s:o, s:o, s:o*, s:o*,"
                   " s:o, s:o}",
                   "chunks", (json_int_t)s->chunks, "chunk_elements", (json_int_t)s->chunk_n,
                   "slot_bytes", (json_int_t)s->slot_bytes, "slots", (json_int_t)s->slots,
                   "readers", (json_int_t)s->readers, "pinned", (int)s->is_pinned, "in_place",
                   (int)s->in_place, "check", rh_check_name((uint32_t)report->check),
                   "chunks_checked", (json_int_t)s->partial->checked, "seconds",
                   rh_json_number(s->seconds), "read_s", rh_json_number(s->read_s), "copy_s",
                   rh_json_number(s->copy_s), "reduce_s", rh_json_number(s->run_s),
                   "copies_begin_s", has_copies ? rh_json_number(s->copies[0]) : NULL,
                   "copies_end_s", has_copies ? rh_json_number(s->copies[1]) : NULL, "times", times,
                   "devices", devices_array(report));
}

static json_t *resident_object(const rh_run_report *report) {
  return json_pack("{s:o, s:o, s:o}", "load_s", rh_json_number(report->resident->load_s),
                   "first_call_s", rh_json_number(report->first_s), "devices",
                   devices_array(report));
}

/* What was reduced, by what, and how it was set. */
static json_t *run_object(const rh_app *app, const rh_run_report *report) {
  const rh_job_spec *spec = report->spec;
  const rh_operator *op = spec->operation.op;
  const rh_opened *opened = &report->opened;
  const char *device = report->device ? report->device->label : "host";
  return json_pack("{s:o*, s:o, s:s, s:o, s:b, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:s, s:o, s:o}",
                   "parts", report->parts ? json_integer(report->parts) : NULL, "device",
                   rh_json_bytes(report->parts ? NULL : device), "strategy", spec->strategy,
                   "plugin", rh_json_bytes(spec->plugin), "isolated", (int)report->isolated, "op",
                   op->name, "type", rh_type_name(op->is_struct ? op->operands[0].type : op->type),
                   "result_type", rh_type_name(report->result.type), "n",
                   (json_int_t)spec->operation.n, "bytes",
                   (json_int_t)rh_report_bytes(&report->spec->operation), "input",
                   rh_json_bytes(app->typed->input), "params", params_object(report), "params_from",
                   rh_params_from_name(opened->params_from), "params_note",
                   rh_json_bytes(*opened->params_note ? opened->params_note : NULL), "chosen",
                   rh_json_bytes(report->chosen && *report->chosen ? report->chosen : NULL));
}

static json_t *result_object(const rh_app *app, const rh_run_report *report) {
  const rh_result *result = &report->result;
  char text[64];
  int wrong = report->checked && report->verdict.verdict == RH_VERDICT_WRONG;
  json_t *object = run_object(app, report);
  json_t *answer = json_pack("{s:s, s:s, s:o*, s:o*, s:s*, s:o, s:I, s:o*, s:o*}", "status",
                             wrong ? "wrong" : "ok", "value", rh_format_exact(text, result),
                             "index", result->indexed ? json_index(result->index) : NULL, "fields",
                             rh_result_has_fields(result) ? fields_object(result) : NULL,
                             "accuracy", report->spec->operation.accuracy ? "exact" : NULL, "check",
                             check_object(report), "launches", (json_int_t)report->opened.launches,
                             "stream", report->streamed ? stream_object(app, report) : NULL,
                             "resident", report->resident ? resident_object(report) : NULL);
  json_object_update(object, answer);
  json_decref(answer);
  return object;
}

static json_t *setup_object(const rh_run_report *report) {
  const rh_opened *opened = &report->opened;
  if (!report->device) return json_object();
  return json_pack("{s:o, s:b, s:o, s:b}", "build", rh_json_number(opened->build_s), "build_cached",
                   is_build_cached(opened), "upload", rh_json_number(opened->upload_s), "in_place",
                   (int)opened->in_place);
}

static rh_status print_json(const rh_app *app, const rh_run_report *report, rh_error *error) {
  json_t *devices = json_array(), *result = result_object(app, report);
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
  if (report->has_state)
    json_object_set_new(result, "state",
                        json_pack("{s:o, s:I}", "file", rh_json_bytes(app->typed->state), "n",
                                  (json_int_t)report->state_n));
  if (report->measured) {
    json_object_set_new(result, "time_s", median_object(&report->quick.time));
    json_object_set_new(result, "latency_s", median_object(&report->quick.latency));
    json_object_set_new(result, "timer", json_string("host"));
  }
  if (app->beside) {
    rh_beside_add_json(app->beside, devices, result);
    return RH_OK;
  }
  return rh_json_print(json_pack("{s:o, s:[o]}", "devices", devices, "results", result), error);
}

/* One line for each result. */
void rh_report_print_value(const rh_result *result) {
  char text[64];
  for (uint32_t k = 0; rh_result_has_fields(result) && k < result->n_fields; k++) {
    const rh_result one = rh_report_field(result, k);
    printf("%s\n", rh_format_exact(text, &one));
  }
  if (rh_result_has_fields(result)) return;
  if (result->indexed) printf("%llu\n", (unsigned long long)result->index);
  else printf("%s\n", rh_format_exact(text, result));
}

rh_status rh_run_report_print(const rh_app *app, const rh_run_report *report, rh_error *error) {
  int wrong = report->checked && report->verdict.verdict == RH_VERDICT_WRONG;
  if (app->typed->json) return print_json(app, report, error);
  if (!app->typed->quiet && app->beside)
    rh_beside_add(app->beside, report->spec->strategy, &report->result,
                  report->checked ? &report->verdict : NULL,
                  report->measured ? report->quick.time.median : 0);
  else if (!app->typed->quiet) print_text(app, report);
  else if (!wrong) rh_report_print_value(&report->result);
  return RH_OK;
}

void rh_run_report_warn(const rh_app *app, const rh_run_report *report) {
  const rh_verdict *verdict = &report->verdict;
  char why[512];
  rh_note_nan(app, &report->result);
  if (report->checked && verdict->verdict == RH_VERDICT_UNJUDGED)
    rh_terminal_say(app->terminal, "warning: the result of '%s' is not judged: %s",
                    report->spec->strategy, rh_verdict_why(verdict, why));
}
