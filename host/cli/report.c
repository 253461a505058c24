/* The report on a run, as text. */
#include "run.h"

enum { SHOWN = 4 }; /* results of segments at the beginning, and at the end */

typedef unsigned long long number; /* as %llu takes it */

static uint64_t bytes_of(const rh_operation *operation) {
  return operation->n * rh_operator_element_bytes(operation->op);
}

/* "257 (value 190.2)" for an index, "mean 0.5  variance 0.25" for all results of the user's
 * operator, else the value. */
static const char *answer_text(const rh_result *result) {
  const char *text = "";
  char value[64];
  int is_alone = !rh_result_has_fields(result);
  for (uint32_t k = 0; k < rh_report_count(result); k++) {
    const rh_result one = rh_report_field(result, k);
    text = rh_show("%s%s%s%s%s", text, k ? "  " : "", is_alone ? "" : result->fields[k].name,
                   is_alone ? "" : " ", rh_format_value(value, &one));
  }
  if (!is_alone || !result->indexed) return text;
  return rh_show("%llu (value %s)", (number)result->index, text);
}

/* "onepass  sum f32  n = 1024 (4 KiB)  of x.npy", with the types of all operands, and without an
 * end of the line. */
static void print_what(const rh_app *app, const rh_job_spec *job) {
  const char *input = app->typed->input;
  const rh_operator *op = job->operation.op;
  printf("%s  %s ", rh_styled(RH_BOLD, job->strategy), rh_plain(op->name));
  for (uint32_t k = 0; k < op->n_operands; k++)
    printf("%s%s", k ? "," : "", rh_type_name(op->operands[k].type));
  printf("  n = %llu (%s)", (number)job->operation.n, rh_bytes(bytes_of(&job->operation)));
  if (input) printf("  of %s", strcmp(input, "-") == 0 ? "standard input" : rh_plain(input));
}

/* n: of several. */
static void print_where(uint32_t n, const rh_cl_device *device) {
  if (n > 1) printf("  on %u devices", n);
  else if (device) printf("  on %s %s", device->label, rh_plain(device->name));
  else printf("  on the host");
}

static void print_skipped(const rh_app *app) {
  printf("check      skipped (%s)\n", app->typed->no_check ? "--no-check" : "--check=none");
}

static void print_time(const rh_operation *operation, const rh_spread *time, const char *where) {
  char spread[32] = "";
  double seconds = time->median;
  if (time->samples > 1) /* one sample has no interval */
    snprintf(spread, sizeof spread, " +-%.1f %%", 100 * rh_spread_precision(time));
  printf("time       %s%s   %.3g Gelem/s   %.3g GB/s   host clock, %s%u sample%s\n",
         rh_seconds(seconds), spread, 1e-9 * (double)operation->n / seconds,
         1e-9 * (double)bytes_of(operation) / seconds, where, time->samples,
         time->samples == 1 ? "" : "s");
}

/* ---- Of all elements ---- */

static void print_heading(const rh_run_state *run) {
  const rh_npy *npy = run->inputs.n ? &run->inputs.feeds[0].npy : NULL;
  uint32_t n = 0, parts = run->report.parts;
  print_what(run->app, &run->job);
  if (npy && npy->dimensions > 1 && !run->report.ranks)
    printf(", over all %u axes of %s", npy->dimensions, npy->shape);
  for (uint32_t k = 0; k < run->n_devices; k++) /* those that worked on it */
    n += run->resident.parts ? run->resident.parts[k].n_nodes > 0 : run->streams[k].is_up;
  if (parts) printf("  merged from %u part%s", parts, parts == 1 ? "" : "s");
  else print_where(n, rh_run_device_of(run));
  putchar('\n');
}

/* "exact 3.5   equal", or of a stream "9 of 128 chunks   equal". */
static void print_compared(const rh_run_state *run) {
  const rh_run_report *report = &run->report;
  const rh_reference *reference = &report->reference;
  const char *text = report->verdict.text;
  int is_sampled = report->check == RH_CHECK_SAMPLED, is_exact = run->job.operation.accuracy != 0;
  printf("check      ");
  if (rh_run_streamed_by(run) && is_sampled)
    printf("%llu of %llu chunks   the last: %s", (number)run->partial.checked,
           (number)run->reduction->chunks, text);
  else if (report->parts && is_sampled) printf("sampled: %s", text);
  else if (is_exact && (!reference->exact || reference->op->divides))
    printf("exact, rounded once%s%s",
           report->opened.depth == RH_DEPTH_ONE_ROUNDING ? ": " : "; the strategy's own answer: ",
           text);
  else
    printf("%s %s   %s%s",
           reference->sampled.n_orders < 2 ? "exact"
           : reference->sampled.by_device  ? "sampled"
                                           : "canonical",
           answer_text(&reference->answer), text,
           is_exact ? ", exact without --accuracy exact, too" : "");
}

static void print_verdict(const rh_run_state *run) {
  static const int styles[] = {RH_GOOD, RH_BAD, RH_BOLD};
  const rh_verdict *verdict = &run->report.verdict;
  const char *word = rh_run_is_wrong(run) ? "WRONG" : rh_verdict_words[verdict->verdict];
  print_compared(run);
  if (verdict->exact_data != RH_EXACT_DATA_WRONG && verdict->bound > 0 &&
      isfinite(verdict->bound) && isfinite(verdict->error)) {
    if (isfinite(verdict->error_ulp)) printf(", %.2g ulp", verdict->error_ulp);
    printf(", %.2g %% of the bound", 100 * verdict->error / verdict->bound);
  }
  if (*verdict->exact_text) printf("; %s", verdict->exact_text);
  printf("   %s\n", rh_styled(styles[verdict->verdict], word));
}

/* What each of several devices did: "onepass, 16 of 64 chunks". */
static void print_share(const rh_run_state *run, uint32_t k) {
  const rh_worker *one = &run->streams[k];
  int is_split = run->resident.parts != NULL;
  printf("%s%s, %llu of %llu %s%s\n", run->devices[k].spec.strategy,
         one->device ? "" : " on the host", (number)(is_split ? one->n : one->chunks),
         (number)(is_split ? run->job.operation.n : run->reduction->chunks),
         is_split ? "elements" : "chunks", one->failure.status == RH_OK ? "" : ", then it failed");
}

static void print_devices(const rh_run_state *run) {
  for (uint32_t k = 0; run->n_devices > 1 && k < run->n_devices; k++) {
    const rh_worker *one = &run->streams[k];
    const rh_cl_device *device = run->devices[k].context->device;
    printf("device     %s %s   ", device->label, rh_plain(device->name));
    if (one->is_up || (run->resident.parts && one->failure.status == RH_OK)) print_share(run, k);
    else printf("left out\n");
  }
}

static void print_streamed(const rh_run_state *run, const rh_reduction *s) {
  double bytes = (double)s->n * rh_operator_element_bytes(run->job.operation.op);
  printf("stream     %llu chunk%s of %s in %u slots, %u reader%s   %s   %.3g GB/s\n",
         (number)s->chunks, s->chunks == 1 ? "" : "s", rh_bytes(s->slot_bytes), s->slots,
         s->readers, s->readers == 1 ? "" : "s", rh_seconds(s->seconds), bytes / 1e9 / s->seconds);
  print_devices(run);
  if (!run->app->typed->verbose) return;
  printf("overlap    reads %s, copies %s, reductions %s in %s; %s\n", rh_seconds(s->read_s),
         s->in_place ? "none" : rh_seconds(s->copy_s), rh_seconds(s->run_s), rh_seconds(s->seconds),
         s->in_place    ? "read where they are reduced"
         : s->is_pinned ? "copied from pinned memory"
                        : "copied from pageable memory");
  if (run->n_devices > 1 || s->in_place || s->copies[1] == 0) return;
  /* Where the time of a device went that gets copies: what they could not be beside. */
  printf("copies     begin after %s, idle for %s in between, end %s before the answer\n",
         rh_seconds(fmax(s->copies[0], 0)),
         rh_seconds(fmax(s->copies[1] - s->copies[0] - s->copy_s, 0)),
         rh_seconds(fmax(s->seconds - s->copies[1], 0)));
}

static void print_setup(const rh_run_state *run) {
  const rh_opened *opened = &run->report.opened;
  double rate = 1e-9 * (double)bytes_of(&run->job.operation) / opened->upload_s;
  if (run->resident.parts) {
    printf("setup      %s   until all elements were there and checked\n",
           rh_seconds(run->resident.load_s));
    return;
  }
  if (!rh_run_device_of(run)) return;
  printf("setup      build %s (%s)   ", rh_seconds(opened->build_s),
         rh_run_build_is_cached(run) ? "cached" : "not cached");
  if (opened->in_place) printf("input in place, nothing copied\n");
  else
    printf("upload %s, %.3g GB/s\n", rh_seconds(opened->upload_s), opened->upload_s > 0 ? rate : 0);
}

static void print_details(const rh_run_state *run) {
  const rh_opened *opened = &run->report.opened;
  printf("plugin     %s%s\n", rh_plain(run->job.plugin),
         run->devices[run->report.by].isolated ? "   in a process of its own" : "");
  for (uint32_t k = 0; k < opened->n_used; k++)
    printf("%s%s=%s", k ? " " : "parameters ", opened->used[k].key, rh_plain(opened->used[k].text));
  if (opened->n_used)
    printf("%s%s\n", *opened->params_note ? "   " : "", rh_plain(opened->params_note));
  printf("needs      %u launch%s, %s on the device, %s local in a group, depth ", opened->launches,
         opened->launches == 1 ? "" : "es", rh_bytes(opened->scratch_bytes),
         rh_bytes(opened->local_bytes));
  if (opened->depth == RH_DEPTH_ONE_ROUNDING) printf("none: rounded once\n");
  else if (opened->depth) printf("%llu\n", (number)opened->depth);
  else printf("unknown\n");
  if (run->reduction) return;
  printf("first run  %s", rh_seconds(run->report.first_s));
  if (rh_run_is_checked(run) && !run->resident.parts)
    printf("   reference %s", rh_seconds(run->report.check_s));
  putchar('\n');
}

static void print_text(const rh_run_state *run) {
  const rh_run_report *report = &run->report;
  const rh_typed *typed = run->app->typed;
  int is_alone = !report->ranks && !report->parts, is_timed = report->quick.time.samples > 0;
  print_heading(run);
  printf("result     %s\n", rh_styled(RH_BOLD, answer_text(&report->result)));
  if (rh_run_is_checked(run)) print_verdict(run);
  else print_skipped(run->app);
  if (rh_run_streamed_by(run)) print_streamed(run, run->reduction);
  if (run->resident.parts) print_devices(run);
  if (report->ranks)
    printf("ranks      %u on %u host%s, transport %s   %s, %.3g GB/s\n", report->ranks,
           report->hosts, report->hosts == 1 ? "" : "s", report->transport,
           rh_seconds(report->ranks_s),
           1e-9 * (double)bytes_of(&run->job.operation) / report->ranks_s);
  if (typed->state && !rh_run_is_wrong(run))
    printf("state      %s   %llu elements, with these\n", rh_plain(typed->state),
           (number)report->state_n);
  if (is_timed) {
    print_time(&run->job.operation, &report->quick.time,
               report->opened.finishes_on_host ? "finishes on the host, " : "");
    printf("latency    %s   one call, result on the host\n",
           rh_seconds(report->quick.latency.median));
  }
  if (is_timed || (typed->verbose && !run->reduction && is_alone)) print_setup(run);
  if (typed->verbose && is_alone) print_details(run);
}

/* ---- Of segments ---- */

static void print_cut(const rh_run_state *run) {
  const rh_segments *s = &run->segments;
  uint32_t n = 0;
  print_what(run->app, &s->spec);
  for (uint32_t k = 0; k < run->n_devices; k++) n += run->streams[k].chunks > 0;
  print_where(n, s->job.device);
  if (run->report.ranks) printf("  by %u ranks", run->report.ranks);
  printf("\nsegments   %llu %s   %s%s\n", (number)s->n, rh_plain(run->shape.words),
         s->is_loop ? "one run for each" : "one run for all",
         s->was_copied ? ", on a copy that has them in rows" : "");
  if (rh_run_parts(run))
    printf("parts      %llu, one after the other\n", (number)rh_run_parts(run));
}

static void print_segments(const rh_run_state *run) {
  uint64_t n = run->segments.n;
  for (uint64_t s = 0; s < n; s++) {
    if (s == SHOWN && n > 2 * SHOWN + 1) {
      printf("           ...\n");
      s = n - SHOWN;
    }
    const rh_result result = rh_run_segment(run, s);
    printf("%-10s %8s   %s\n", s ? "" : "results", rh_run_segment_name(run, s),
           answer_text(&result));
  }
}

static void print_judged(const rh_run_state *run) {
  const rh_segments_check *check = &run->judged;
  uint64_t n = run->segments.n;
  printf("check      %llu", (number)check->n);
  if (rh_run_parts(run) && check->n < n) printf(" of %llu", (number)n);
  printf(" segment%s", n == 1 ? "" : "s");
  if (check->part > 0)
    printf(", the worst at %.2g %% of its bound (segment %llu)", 100 * check->part,
           (number)check->worst);
  else if (check->unjudged < check->n) printf(", all equal to the exact answer");
  if (check->unjudged) printf(", %llu of them", (number)check->unjudged);
  printf("   %s\n", check->unjudged ? rh_styled(RH_BOLD, "not judged") : rh_styled(RH_GOOD, "ok"));
}

static void print_segments_text(const rh_run_state *run) {
  print_cut(run);
  print_segments(run);
  if (rh_run_is_checked(run)) print_judged(run);
  else print_skipped(run->app);
  if (run->report.quick.time.samples)
    print_time(&run->segments.spec.operation, &run->report.quick.time, "");
}

/* ---- Either ---- */

/* One line for each result. */
static void print_value(const rh_result *result) {
  char text[64];
  for (uint32_t k = 0; k < rh_report_count(result); k++) {
    const rh_result one = rh_report_field(result, k);
    if (one.indexed) printf("%llu\n", (number)one.index);
    else printf("%s\n", rh_format_exact(text, &one));
  }
}

static void print_values(const rh_run_state *run) {
  for (uint64_t s = 0; s < run->segments.n && !run->files.n; s++) {
    const rh_result result = rh_run_segment(run, s);
    print_value(&result);
  }
  if (!run->asked.operation.layout && !rh_run_is_wrong(run)) print_value(&run->report.result);
}

/* ---- An answer that is not a number, or not judged ---- */

static int is_nan(const rh_result *result) {
  int found = rh_type_is_float(result->type) && isnan(result->value.f);
  for (uint32_t k = 0; k < result->n_fields; k++)
    found |= rh_type_is_float(result->fields[k].type) && isnan(result->fields[k].value.f);
  return found;
}

/* The elements of a file that are not numbers, and the first of them; 0 if it was not counted. */
static int count_nan(const rh_app *app, uint64_t *n_nan, uint64_t *first) {
  enum { MOST_BYTES = 1 << 30 };
  const char *input = app->typed->input;
  struct stat info;
  RH_FINISHED(rh_array) array = {0};
  *n_nan = *first = 0;
  if (stat(input, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) return 0;
  if (rh_array_open(&array, input, app->type, NULL, NULL) != RH_OK) return 0;
  rh_result one = {.type = array.type};
  int counts = rh_type_is_float(array.type);
  const char *at = rh_array_data(&array);
  for (uint64_t k = 0; counts && k < array.n; k++) {
    at += rh_element_load(array.type, at, &one.value);
    if (is_nan(&one) && (*n_nan)++ == 0) *first = k;
  }
  return counts;
}

/* Which elements are none, and how to leave them out.  Without --quiet and --json.  Files of up to
 * 1 GiB are read once more. */
static void note_nan(const rh_app *app, const rh_result *result) {
  uint64_t n, first;
  const char *input = app->typed->input;
  if (!input || app->typed->quiet || app->typed->json || !is_nan(result)) return;
  if (!count_nan(app, &n, &first))
    rh_terminal_say("the answer is not a number; --map 'isnan(x)' counts NaN, and --where "
                    "'!isnan(x)' leaves them out");
  else if (n)
    rh_terminal_say(
        "%.200s has %llu NaN, the first at index %llu; --where '!isnan(x)' leaves them out",
        rh_plain(input), (unsigned long long)n, (unsigned long long)first);
  else
    rh_terminal_say(
        "no element of %.200s is NaN; the answer is, as it is of infinities of both signs",
        rh_plain(input));
}

/* An answer that could not be checked must not be used unknowingly, not even by a script, so the
 * warning ignores --quiet.  The status stays 0, since nothing was found wrong; check.outcome of
 * --json distinguishes the two cases. */
static void warn_unjudged(const rh_run_state *run) {
  const rh_verdict *verdict = &run->report.verdict;
  char why[640];
  if (run->asked.operation.layout) {
    if (rh_segments_unjudged(&run->judged, why)) rh_terminal_say("warning: %s", why);
    return;
  }
  note_nan(run->app, &run->report.result);
  if (rh_run_is_checked(run) && verdict->verdict == RH_VERDICT_UNJUDGED)
    rh_terminal_say("warning: the result of '%s' is not judged: %s", run->job.strategy,
                    rh_verdict_why(verdict, why));
}

/* A wrong answer is an error message, never a bare value that a script would use. */
static rh_status judge_answer(const rh_run_state *run, rh_error *error) {
  const rh_run_report *report = &run->report;
  const rh_job_spec *job = &run->job;
  char got[64], exact[64];
  if (!rh_run_is_wrong(run)) return RH_OK;
  rh_context_blame(run->app->context, job->strategy, job->plugin, job->operation.op,
                   job->operation.n);
  rh_format_answer(got, &report->result);
  rh_format_answer(exact, &report->reference.answer);
  return rh_fail(error, RH_E_WRONG, "wrong result: '%s' returned %s, expected %s (%s)",
                 job->strategy, got, exact, report->verdict.text);
}

rh_status rh_run_print(rh_run_state *run, rh_error *error) {
  const rh_typed *typed = run->app->typed;
  int is_cut = run->asked.operation.layout != NULL;
  if (is_cut) {
    RH_TRY(rh_segments_verdict(&run->segments, &run->judged, error));
    RH_TRY(rh_segments_files_write(run, error));
  }
  RH_TRY(rh_state_file_add(run, error));
  if (typed->json) RH_TRY(rh_run_print_json(run, error));
  else if (typed->quiet) print_values(run);
  else if (run->app->beside) rh_beside_add(run->app->beside, run);
  else if (is_cut) print_segments_text(run);
  else print_text(run);
  warn_unjudged(run);
  return judge_answer(run, error);
}
