/* redhost --run NAME */
#include "../base/clock.h"
#include "../base/error.h"
#include "../io/array.h"
#include "app.h"
#include "report.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>

/* Options that belong to the other source of data. */
static rh_status check_sources(const rh_typed *typed, rh_error *error) {
  if (!typed->input) return RH_OK;
  if (typed->size)
    return rh_fail(error, RH_E_USAGE,
                   "--size and --input exclude each other: a file brings its own size");
  if (typed->data) return rh_fail(error, RH_E_USAGE, "--data and --input exclude each other");
  if (typed->seed) return rh_fail(error, RH_E_USAGE, "--seed and --input exclude each other");
  return RH_OK;
}

static int needs_an_element(uint32_t op) {
  return op == RH_OP_min || op == RH_OP_max || op == RH_OP_argmin || op == RH_OP_argmax;
}

/* What is to be reduced: a file, opened here, so that its faults show before any device is touched; or so many generated
 * elements, made later, once a device is known to hold them. */
static rh_status find_data(const rh_app *app, rh_array *array, rh_job_spec *spec, uint64_t *seed,
                           char *what, size_t what_size, rh_error *error) {
  const rh_typed *typed = app->typed;
  const rh_reporter *reporter = &app->redhost->options.reporter;
  RH_TRY(check_sources(typed, error));
  RH_TRY(rh_seed_parse(typed->seed, seed, error));
  if (typed->input) {
    RH_TRY(rh_array_open(array, typed->input, app->type, reporter, error));
    rh_terminal_catch_cut_file();
    spec->type = array->type;
    spec->n = array->n;
    snprintf(what, what_size, "%s", typed->input);
    if (array->fortran_order && (app->op == RH_OP_argmin || app->op == RH_OP_argmax))
      rh_report(reporter, RH_LOG_WARNING,
                "%s: shape %s, Fortran order: the index counts in storage order", typed->input,
                array->shape);
  } else {
    const char *size = typed->size ? typed->size : "2^24";
    spec->type = app->type ? app->type : RH_TYPE_f32;
    RH_TRY(rh_size_parse(size, rh_type_size(spec->type), "--size", &spec->n, error));
    RH_TRY(rh_array_check_kind(typed->data ? typed->data : "uniform", error));
    snprintf(what, what_size, "--size %s in %s", size, rh_type_name(spec->type));
  }
  if (spec->n == 0 && needs_an_element(app->op))
    return rh_fail(error, RH_E_USAGE, "%s of 0 elements does not exist", rh_op_name(app->op));
  return RH_OK;
}

static rh_status check(rh_run_report *report, rh_error *error) {
  double start = rh_now();
  RH_TRY(rh_job_check(&report->job, &report->result, &report->reference, &report->verdict, error));
  report->check_s = rh_now() - start;
  report->checked = 1;
  return RH_OK;
}

/* Reduces, checks, measures where that was asked for: everything before the first word is printed. */
static rh_status reduce(const rh_app *app, rh_run_report *report, rh_error *error) {
  rh_array *array = &report->array;
  RH_TRY(rh_job_setup(&report->job, array->region.address, array->offset_bytes, error));
  double start = rh_now();
  RH_TRY(rh_job_run(&report->job, &report->result, error));
  report->first_s = rh_now() - start;
  if (!app->typed->no_check) RH_TRY(check(report, error));
  int wrong = report->checked && report->verdict.verdict == RH_VERDICT_WRONG;
  /* A file's owner wants the answer at once; who makes up data wants to know how long it takes. */
  if (wrong || app->typed->quiet || (app->typed->input && !app->typed->verbose)) return RH_OK;
  report->measured = 1;
  return rh_measure_quick(&report->job, &report->quick, error);
}

/* A wrong answer is printed as what it is, never as a bare value that a script would take. */
static rh_status judge(const rh_run_report *report, rh_error *error) {
  if (!report->checked || report->verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  char got[64], exact[64];
  const rh_result *result = &report->result, *right = &report->reference.result;
  if (result->indexed) {
    snprintf(got, sizeof got, "%llu", (unsigned long long)result->index);
    snprintf(exact, sizeof exact, "%llu", (unsigned long long)right->index);
  } else {
    rh_format_value(got, result);
    rh_format_value(exact, right);
  }
  return rh_fail(error, RH_E_WRONG, "wrong result: '%s' says %s, exact is %s (%s)",
                 report->job.strategy->name, got, exact, report->verdict.text);
}

static rh_status generate(const rh_app *app, const rh_job_spec *spec, uint64_t seed,
                          rh_array *array, rh_error *error) {
  const char *kind = app->typed->data ? app->typed->data : "uniform";
  rh_status status = rh_array_generate(array, kind, seed, spec->type, spec->n,
                                       &app->redhost->options.reporter, error);
  if (status == RH_E_NOMEM) rh_error_prefix(error, "%s", spec->what);
  return status;
}

static rh_status run(const rh_app *app, rh_run_report *report, rh_error *error) {
  const rh_typed *typed = app->typed;
  char what[256];
  uint64_t seed;
  rh_job_spec spec = {
      .strategy = typed->name,
      .op = app->op,
      .settings = typed->settings,
      .n_settings = typed->n_settings,
      .what = what,
  };
  RH_TRY(find_data(app, &report->array, &spec, &seed, what, sizeof what, error));
  RH_TRY(rh_job_init(&report->job, app->redhost, &spec, error));
  if (!typed->input) RH_TRY(generate(app, &spec, seed, &report->array, error));
  RH_TRY(reduce(app, report, error));
  RH_TRY(rh_run_report_print(app, report, error));
  return judge(report, error);
}

rh_status rh_mode_run(const rh_app *app, rh_error *error) {
  rh_run_report report = {0};
  rh_status status = run(app, &report, error);
  rh_job_finish(&report.job);
  rh_array_finish(&report.array);
  return status;
}
