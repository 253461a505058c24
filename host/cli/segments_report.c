/* What is said of a run over segments. */
#include "run.h"

enum { SHOWN = 4 }; /* results at the beginning, and at the end */

typedef unsigned long long number; /* as %llu takes it */

static rh_result result_of(const rh_segments_answer *run, uint64_t s) {
  rh_result result = {.struct_size = sizeof result};
  rh_segments_result(&run->segments, s, &result);
  return result;
}

/* ---- Text ---- */

/* The segment's label, or its number. */
static const char *name_of(const rh_shape *shape, uint64_t s) {
  char text[64];
  const rh_array *labels = &shape->labels;
  rh_result label = {.type = labels->type};
  if (labels->type) {
    uint64_t at = shape->layout.starts[s] * rh_type_size(labels->type);
    rh_element_load(labels->type, (const char *)rh_array_data(labels) + at, &label.value);
    return rh_show("%s", rh_format_value(text, &label));
  }
  return rh_show("%llu", (number)s);
}

static void print_heading(const rh_app *app, const rh_segments_answer *run, const rh_shape *shape) {
  const rh_segments *s = &run->segments;
  rh_report_print_heading(app, s->spec.strategy, &s->spec.operation);
  if (run->devices > 1) printf("  on %u devices", run->devices);
  else if (s->job.device) printf("  on %s %s", s->job.device->label, rh_plain(s->job.device->name));
  else printf("  on the host");
  if (run->ranks) printf("  by %u ranks", run->ranks);
  printf("\n");
  printf("segments   %llu %s   %s%s\n", (number)s->n, rh_plain(shape->words),
         s->is_loop ? "one run for each" : "one run for all",
         s->was_copied ? ", on a copy that has them in rows" : "");
  if (run->parts) printf("parts      %llu, one after the other\n", (number)run->parts);
}

static void print_results(const rh_segments_answer *run, const rh_shape *shape) {
  uint64_t n = run->segments.n;
  for (uint64_t s = 0; s < n; s++) {
    if (s == SHOWN && n > 2 * SHOWN + 1) {
      printf("           ...\n");
      s = n - SHOWN;
    }
    const rh_result result = result_of(run, s);
    printf("%-10s %8s   %s\n", s ? "" : "results", name_of(shape, s), rh_report_answer(&result));
  }
}

static void print_check(const rh_app *app, const rh_segments_answer *run) {
  const rh_segments_check *check = &run->check;
  if (!run->checked) {
    printf("check      skipped (%s)\n", app->typed->no_check ? "--no-check" : "--check=none");
    return;
  }
  printf("check      %llu", (number)check->n);
  if (run->parts && check->n < run->segments.n) printf(" of %llu", (number)run->segments.n);
  printf(" segment%s", run->segments.n == 1 ? "" : "s");
  if (check->part > 0)
    printf(", the worst at %.2g %% of its bound (segment %llu)", 100 * check->part,
           (number)check->worst);
  else if (check->unjudged < check->n) printf(", all equal to the exact answer");
  int style = check->unjudged ? RH_BOLD : RH_GOOD;
  if (check->unjudged) printf(", %llu of them", (number)check->unjudged);
  printf("   %s\n", rh_styled(app->terminal, style, check->unjudged ? "not judged" : "ok"));
}

/* ---- JSON ---- */

static json_t *values_array(const rh_segments_answer *run) {
  json_t *values = json_array();
  for (uint64_t s = 0; s < run->segments.n; s++) {
    const rh_result result = result_of(run, s);
    json_array_append_new(values, rh_report_value(&result));
  }
  return values;
}

static json_t *check_object(const rh_segments_answer *run) {
  const rh_segments_check *check = &run->check;
  if (!run->checked) return json_null();
  return json_pack("{s:I, s:I, s:o, s:o, s:s}", "segments", (json_int_t)check->n, "not_judged",
                   (json_int_t)check->unjudged, "worst",
                   check->part > 0 ? json_integer((json_int_t)check->worst) : json_null(),
                   "bound_fraction", rh_json_number(check->part), "outcome",
                   check->unjudged ? "not judged" : "ok");
}

static json_t *lengths_array(const rh_shape *shape) {
  json_t *lengths = json_array();
  for (uint32_t k = 0; k < shape->n_dimensions; k++)
    json_array_append_new(lengths, json_integer((json_int_t)shape->lengths[k]));
  return lengths;
}

static json_t *labels_array(const rh_shape *shape) {
  json_t *labels = json_array();
  for (uint64_t s = 0; s < shape->layout.segments; s++)
    json_array_append_new(labels, json_string(name_of(shape, s)));
  return labels;
}

static void add_parts(json_t *result, const rh_segments_answer *run) {
  json_object_set_new(result, "parts", json_integer((json_int_t)run->parts));
  json_object_set_new(result, "devices", json_integer(run->devices));
  if (run->ranks) json_object_set_new(result, "ranks", json_integer(run->ranks));
}

static rh_status print_json(const rh_app *app, const rh_segments_answer *run, const rh_shape *shape,
                            rh_error *error) {
  const rh_segments *s = &run->segments;
  const rh_operation *operation = &s->spec.operation;
  const rh_result first = result_of(run, 0);
  json_t *result =
      json_pack("{s:s, s:s, s:s, s:I, s:o, s:I, s:o, s:s, s:b, s:b, s:s, s:o, s:o, s:s}",
                "strategy", s->spec.strategy, "op", operation->op->name, "type",
                rh_type_name(operation->op->operands[0].type), "n", (json_int_t)operation->n,
                "input", app->typed->input ? rh_json_bytes(app->typed->input) : json_null(),
                "segments", (json_int_t)s->n, "shape", lengths_array(shape), "order",
                shape->fortran_order ? "F" : "C", "one_run_for_each", (int)s->is_loop, "copied",
                (int)s->was_copied, "result_type", s->n ? rh_type_name(first.type) : "", "values",
                values_array(run), "check", check_object(run), "status", "ok");
  if (shape->labels.type) json_object_set_new(result, "labels", labels_array(shape));
  if (run->parts) add_parts(result, run);
  if (run->time.samples) json_object_set_new(result, "time_s", rh_json_number(run->time.median));
  return rh_json_print(json_pack("{s:[o]}", "results", result), error);
}

/* ---- All ---- */

static void print_values(const rh_segments_answer *run) {
  for (uint64_t s = 0; s < run->segments.n; s++) {
    const rh_result result = result_of(run, s);
    rh_report_print_value(&result);
  }
}

static void warn_unjudged(const rh_app *app, const rh_segments_answer *run) {
  char what[640];
  if (rh_segments_unjudged(&run->check, what)) rh_terminal_say(app->terminal, "warning: %s", what);
}

rh_status rh_run_segments_print(const rh_app *app, const rh_segments_answer *run,
                                const rh_shape *shape, rh_segments_files *files, rh_error *error) {
  RH_TRY(rh_segments_verdict(&run->segments, &run->check, error));
  RH_TRY(rh_segments_files_write(files, run, shape, error));
  warn_unjudged(app, run);
  if (app->typed->json) return print_json(app, run, shape, error);
  if (app->typed->quiet) {
    if (!files->n) print_values(run);
    return RH_OK;
  }
  print_heading(app, run, shape);
  print_results(run, shape);
  print_check(app, run);
  if (run->time.samples) rh_report_print_time(&run->segments.spec.operation, &run->time, "");
  return RH_OK;
}
