/* redhost --run NAME */
#include "../choose/fallback.h"
#include "../choose/known.h"
#include "../choose/locate.h"
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "../core/data/array.h"
#include "../core/run/before_blame.h"
#include "../core/run/exact_data.h"
#include "../core/run/operand_data.h"
#include "../engine/partial/accuracy.h"
#include "app.h"
#include "report.h"
#include "run_options.h"
#include "run_parts.h"
#include "run_ranks.h"
#include "run_sampler.h"
#include "selftest.h"
#include "size.h"
#include "user_operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The resources of one run. */
typedef struct run_state {
  const rh_app *app;
  rh_job_spec asked, spec; /* spec: with the strategy that was found */
  char what[256];
  const rh_run_options *options;
  rh_found found;   /* the strategy */
  rh_inputs inputs; /* empty: the data are generated */
  rh_array array;   /* empty: they are streamed */
  int streams;
  int is_split;           /* they are generated, and stay on several devices */
  int has_no_room;        /* 1: there is no memory for the data */
  rh_user_operator user;  /* empty: a built-in one */
  rh_run_devices devices; /* of a stream, or of data that are split */
  rh_run_parts parts;
  rh_local_shared shared;
  rh_sampler sampler; /* `self` is null if it does not exist */
  rh_run_report report;
} run_state;

static rh_status check_not_empty(const rh_app *app, const run_state *run, rh_error *error) {
  const char *input = app->typed->input;
  uint64_t n = input ? run->inputs.feeds[0].n : run->spec.operation.n;
  if (n > 0 || !run->spec.operation.op->needs_an_element) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%s%s%s of an empty array is undefined", input ? input : "",
                 input ? ": " : "", run->spec.operation.op->name);
}

static rh_status take_input(const rh_app *app, run_state *run, rh_error *error) {
  const rh_feed *feed = &run->inputs.feeds[0];
  rh_job_spec *spec = &run->spec;
  if (!run->streams) RH_TRY(rh_inputs_array(&run->inputs, 0, app, &run->array, error));
  RH_TRY(rh_operator_find(&spec->operation.op, app->op, feed->type, error));
  spec->operation.n = run->streams ? feed->n : run->array.n;
  snprintf(run->what, sizeof run->what, "%s", app->typed->input);
  return RH_OK;
}

static rh_job_spec spec_asked(const rh_app *app, const run_state *run) {
  const rh_typed *typed = app->typed;
  return (rh_job_spec){
      .strategy = typed->name,
      .settings = typed->settings,
      .n_settings = typed->n_settings,
      .operation.what = run->what,
      /* as is_to_be_measured(): the answer, or the time */
      .on_device = typed->input || typed->quiet ? RH_JOB_ON_HOST : RH_JOB_IN_PLACE,
      .once = 1,
  };
}

/* The data are a file, which was opened, so that its errors are reported before a device is used;
 * or generated elements, which are created later, when a device is known to hold them. */
static rh_status find_data(const rh_app *app, run_state *run, rh_error *error) {
  const rh_typed *typed = app->typed;
  rh_job_spec *spec = &run->spec;
  const char *size = typed->size ? typed->size : "2^24";
  if (typed->input) {
    RH_TRY(take_input(app, run, error));
    return check_not_empty(app, run, error);
  }
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  RH_TRY(rh_operator_find(&spec->operation.op, app->op, type, error));
  RH_TRY(rh_size_parse(size, rh_type_size(type), "--size", &spec->operation.n, error));
  snprintf(run->what, sizeof run->what, "--size %s in %s", size, rh_type_name(type));
  return check_not_empty(app, run, error);
}

/* Finds the data of a user's operator. */
static rh_status find_operands(const rh_app *app, run_state *run, rh_error *error) {
  const rh_typed *typed = app->typed;
  snprintf(run->what, sizeof run->what, "%s",
           typed->input  ? typed->input
           : typed->size ? typed->size
                         : "2^24");
  RH_TRY(rh_user_operator_open(&run->user, app, &run->inputs, &run->spec, error));
  if (run->streams || run->is_split) rh_custom_take_base(run->user.custom);
  if (typed->input && !run->streams)
    RH_TRY(rh_user_operator_arrays(&run->user, app, &run->inputs, &run->array, &run->spec, error));
  return check_not_empty(app, run, error);
}

/* Opens files, and decides whether their elements are brought into memory. */
static rh_status find_problem(const rh_app *app, run_state *run, rh_error *error) {
  const rh_typed *typed = app->typed;
  int is_own = rh_user_operator_is_wanted(typed);
  if (typed->input) RH_TRY(rh_inputs_open(&run->inputs, app, is_own, error));
  run->streams |= typed->stream || run->inputs.are_large || (typed->input && run->devices.n > 1);
  run->is_split = !run->streams && run->devices.n > 1;
  RH_TRY(is_own ? find_operands(app, run, error) : find_data(app, run, error));
  return rh_run_accuracy(typed, run->options->check, &run->spec, run->user.custom, error);
}

/* Installs the SIGBUS handler before each read of the file, because a driver that compiles in
 * this process may replace it. */
static void expect_cut_file(const rh_app *app) {
  if (app->typed->input) rh_terminal_catch_cut_file(app->typed->input);
}

/* Computes the reference, before the strategy runs. */
static rh_status refer(const rh_app *app, run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  if (run->options->check == RH_CHECK_NONE)
    return run->spec.operation.op->is_custom ? RH_OK : rh_selftest(app, report, error);
  double start = rh_now();
  RH_TRY(rh_job_reference(&run->spec, rh_array_data(&run->array), &app->context->options.reporter,
                          &report->reference, error));
  report->check_s = rh_now() - start;
  return RH_OK;
}

/* Elements that were copied or generated nobody else can change. */
static rh_status check(const rh_app *app, run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const void *operands[RH_MOST_OPERANDS];
  uint64_t n = run->spec.operation.n;
  int may_change = app->typed->input && !run->array.region.own;
  const rh_job_part all = {operands, 0, n, n, 0, may_change};
  const rh_answered answered = {app->context, report->device, report->opened.depth, &report->result,
                                NULL};
  if (run->options->check == RH_CHECK_NONE) return RH_OK;
  rh_job_operands_at(&run->spec, rh_array_data(&run->array), operands);
  expect_cut_file(app);
  report->checked = 1;
  return rh_job_judge_on(&run->spec, &all, &answered, &report->reference, &report->verdict, error);
}

static int is_wrong(const rh_run_report *report) {
  return report->checked && report->verdict.verdict == RH_VERDICT_WRONG;
}

/* With a file, the user wants the answer; with generated data, the time. */
static int is_to_be_measured(const rh_app *app, const rh_run_report *report) {
  const rh_typed *typed = app->typed;
  return !is_wrong(report) && !typed->quiet && (!typed->input || typed->verbose);
}

/* A wrong answer is an error message, never a bare value that a script would use. */
static rh_status judge_report(const rh_app *app, const rh_run_report *report, rh_error *error) {
  const rh_job_spec *spec = report->spec;
  if (!is_wrong(report)) return RH_OK;
  rh_context_blame(app->context, spec->strategy, spec->plugin, spec->operation.op,
                   spec->operation.n);
  char got[64], exact[64];
  rh_format_answer(got, &report->result);
  rh_format_answer(exact, &report->reference.answer);
  return rh_fail(error, RH_E_WRONG, "wrong result: '%s' returned %s, expected %s (%s)",
                 spec->strategy, got, exact, report->verdict.text);
}

/* A child maps one file, so several of them are copied. */
static rh_status share(run_state *run, rh_error *error) {
  rh_array *array = &run->array;
  rh_region shared;
  if (!run->spec.operation.op->is_custom || array->region.shared) return RH_OK;
  rh_status status = rh_region_alloc_shared(&shared, array->region.bytes, error);
  if (status == RH_E_NOMEM) rh_error_prefix(error, "%s", run->what);
  RH_TRY(status);
  memcpy(shared.address, array->region.address, array->region.bytes);
  rh_region_finish(&array->region);
  array->region = shared;
  return RH_OK;
}

/* Allocates memory for generated data.  Shared pages are used only if a child needs them, because
 * private ones are faster. */
static rh_status reserve(const rh_app *app, run_state *run, rh_error *error) {
  if (app->typed->input) return run->report.isolated ? share(run, error) : RH_OK;
  rh_type type = run->spec.operation.op->type;
  uint64_t n = run->spec.operation.n;
  if (run->spec.operation.op->is_custom) { /* operands of several types, side by side */
    type = RH_TYPE_u8;
    n = rh_operand_layout(&run->spec, run->spec.offsets);
  }
  rh_status status = rh_array_reserve(&run->array, type, n, run->report.isolated, error);
  run->has_no_room = status == RH_E_NOMEM;
  if (run->has_no_room) rh_error_prefix(error, "%s", run->what);
  app->context->device_failed |= status != RH_OK;
  return status;
}

static rh_status fill(const rh_app *app, run_state *run, rh_error *error) {
  if (app->typed->input) return RH_OK;
  const rh_run_options *options = run->options;
  const rh_reporter *reporter = &app->context->options.reporter;
  return rh_operand_data_fill(&run->array, &run->spec, options->kind, options->seed, reporter,
                              error);
}

static rh_run_spec spec_of(const rh_app *app, const run_state *run) {
  return (rh_run_spec){.context = app->context,
                       .job = &run->spec,
                       .device = run->report.device,
                       .isolated = run->report.isolated,
                       .timeout_s = run->options->timeout_s > 0 ? run->options->timeout_s : 60};
}

/* If the bound is weak, runs the same strategy on exact data, too. */
static rh_status confirm(const rh_app *app, run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const rh_run_spec spec = spec_of(app, run);
  rh_exact_data exact;
  rh_result result;
  rh_error why = {0};
  if (run->spec.operation.op->is_custom)
    rh_exact_data_settle(&report->verdict, "none are known for operators of one's own");
  if (!report->checked || !rh_exact_data_is_needed(&report->verdict)) return RH_OK;
  rh_status status = rh_exact_data_make(&exact, run->spec.operation.op, run->spec.operation.n, NULL,
                                        report->isolated, &app->context->options.reporter, &why);
  if (status == RH_OK) {
    status = rh_run_once(&spec, &exact.array, &result, &why);
    if (status == RH_OK) rh_exact_data_add(&exact, &result, &report->verdict);
    rh_exact_data_finish(&exact);
  }
  if (rh_exact_data_is_too_much(status)) {
    rh_exact_data_settle(&report->verdict, why.message);
    return RH_OK;
  }
  if (status != RH_OK && error) *error = why;
  return status;
}

/* The first run, which is checked, and more runs if they are to be timed. */
static rh_status take_samples(const rh_app *app, run_state *run, rh_error *error) {
  static const rh_take once = {RH_TAKE_LATENCY, 1};
  const rh_sampler *sampler = &run->sampler;
  rh_run_report *report = &run->report;
  rh_taken taken;
  expect_cut_file(app);
  RH_TRY(sampler->take(sampler->self, &once, &taken, error));
  report->first_s = taken.seconds;
  report->result = taken.result;
  RH_TRY(check(app, run, error));
  RH_TRY(confirm(app, run, error));
  if (!is_wrong(report)) rh_accuracy_take(&run->spec, &report->reference, &report->result);
  if (!is_to_be_measured(app, report)) return RH_OK;
  expect_cut_file(app);
  RH_TRY(rh_measure_quick(sampler, &report->opened, &app->context->options.reporter, &report->quick,
                          error));
  report->measured = 1;
  return RH_OK;
}

static rh_status end_sampler(run_state *run, rh_error *error) {
  rh_sampler *sampler = &run->sampler;
  if (!sampler->self) return RH_OK;
  rh_status status = sampler->close(sampler->self, error);
  sampler->finish(sampler->self);
  sampler->self = NULL;
  return status;
}

/* The whole run before anything is printed: queries the strategy, creates the data, reduces,
 * checks, measures if wanted, and tears down.  Or finds that the data are to be streamed. */
static rh_status reduce(const rh_app *app, run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const rh_sampler *sampler = &run->sampler;
  rh_tunedb *tuned;
  /* Errors of the command line are reported before limits of this machine. */
  if (!report->isolated) RH_TRY(rh_job_check_settings(app->context, &run->spec, error));
  RH_TRY(rh_job_device(app->context, &run->spec, run->found.device_kinds, &report->device, error));
  if (rh_run_stream_is_faster(app, &run->inputs, &run->spec, report->device, report->isolated)) {
    run->streams = 1;
    return RH_OK;
  }
  RH_TRY(rh_context_tuned(app->context, &tuned, error)); /* children do not report its errors */
  RH_TRY(reserve(app, run, error));
  const rh_bench_data data = rh_run_data(&run->spec, &run->array);
  const rh_run_spec spec = spec_of(app, run);
  RH_TRY(rh_run_sampler(&run->sampler, &run->shared, &spec, error));
  RH_TRY(sampler->ask(sampler->self, &data, &report->opened, error));
  RH_TRY(fill(app, run, error));
  expect_cut_file(app);
  RH_TRY(refer(app, run, error));
  expect_cut_file(app); /* the self-test ran on the device */
  RH_TRY(sampler->open(sampler->self, &data, &report->opened, error));
  RH_TRY(take_samples(app, run, error));
  return end_sampler(run, error);
}

/* Was it chosen by `auto`, from outside of redhost, for a result that the order decides? */
static int is_to_be_tried(const rh_app *app, const run_state *run) {
  return strcmp(app->typed->name, "auto") == 0 && !run->found.installed &&
         run->spec.operation.n > 0 && !run->spec.operation.op->is_custom &&
         rh_op_rounds(run->spec.operation.op->base, run->spec.operation.op->type);
}

static rh_status try_order(const rh_app *app, const run_state *run, rh_error *error) {
  const rh_job_spec *job = &run->spec;
  if (!is_to_be_tried(app, run)) return RH_OK;
  rh_status status = rh_selftest_order(app, job, run->found.device_kinds, error);
  if (status == RH_E_WRONG)
    rh_context_blame(app->context, job->strategy, job->plugin, job->operation.op, job->operation.n);
  return status;
}

/* With the strategy that was named, or the one that `auto` chooses. */
static rh_status try_strategy(const rh_app *app, run_state *run, rh_error *error) {
  int *isolated = &run->report.isolated;
  RH_TRY(rh_locate(app->context, &run->spec, &run->found, error));
  *isolated = rh_when(app->typed->isolate, !run->found.installed);
  run->spec.strategy = run->found.name;
  run->spec.plugin = run->found.path;
  run->report.spec = &run->spec;
  run->report.chosen = app->context->chosen;
  RH_TRY(try_order(app, run, error));
  return reduce(app, run, error);
}

static void undo(void *of_run) {
  run_state *run = of_run;
  end_sampler(run, NULL);
  rh_found_finish(&run->found);
  if (!run->app->typed->input) rh_array_finish(&run->array);
  run->report = (rh_run_report){0};
  run->spec = run->asked;
}

static rh_status attempt(void *of_run, int *is_final, rh_error *error) {
  run_state *run = of_run;
  const rh_app *app = run->app;
  rh_error why = {0};
  rh_status status = try_strategy(app, run, &why);
  (void)is_final;
  /* Checked first, because a changed file explains other errors. */
  if (run->spec.operation.op->is_custom)
    RH_TRY(rh_user_operator_check_unchanged(&run->user, &run->inputs, error));
  else if (app->typed->input)
    RH_TRY(rh_array_check_unchanged(&run->array, app->typed->input, error));
  if (status != RH_OK) *error = why;
  return status;
}

/* Until a strategy gives an answer. */
static rh_status find_answer(run_state *run, rh_error *error) {
  const rh_tries tries = {.context = run->app->context,
                          .spec = &run->asked,
                          .attempt = attempt,
                          .undo = undo,
                          .user = run};
  run->asked = run->spec;
  return rh_try_strategies(&tries, error);
}

/* ---- Streams, and several devices ---- */

static rh_status reduce_parts(const rh_app *app, run_state *run, rh_error *error) {
  run->parts = (rh_run_parts){.app = app,
                              .options = run->options,
                              .inputs = &run->inputs,
                              .spec = &run->spec,
                              .devices = &run->devices};
  return run->streams ? rh_run_streamed(&run->parts, &run->report, error)
                      : rh_run_resident(&run->parts, &run->report, error);
}

/* Data that were to be in memory, and are too large for that, or faster streamed. */
static rh_status stream_instead(const rh_app *app, run_state *run, rh_error *error) {
  end_sampler(run, NULL);
  rh_run_parts_finish(&run->parts);
  rh_found_finish(&run->found);
  rh_array_finish(&run->array);
  rh_user_operator_finish(&run->user);
  rh_inputs_finish(&run->inputs);
  run->report = (rh_run_report){0};
  run->streams = 1;
  run->spec = spec_asked(app, run);
  RH_TRY(find_problem(app, run, error));
  return reduce_parts(app, run, error);
}

static int should_stream(const rh_app *app, const run_state *run, rh_status status) {
  if (run->is_split) return status == RH_E_DEVICE || status == RH_E_NOMEM;
  return run->streams || rh_run_stream_may_help(app, &run->spec, status, run->has_no_room);
}

/* In memory, on the devices that are listed, or through them where they cannot hold the data. */
static rh_status find_any_answer(const rh_app *app, run_state *run, rh_error *error) {
  rh_error why = {0};
  if (run->streams) return reduce_parts(app, run, error);
  rh_status status = run->is_split ? reduce_parts(app, run, &why) : find_answer(run, &why);
  if (should_stream(app, run, status)) return stream_instead(app, run, error);
  if (status != RH_OK && error) *error = why;
  return status;
}

static rh_status run_it(const rh_app *app, run_state *run, rh_error *error) {
  run->spec = spec_asked(app, run);
  RH_TRY(rh_run_devices_open(&run->devices, app, error));
  RH_TRY(find_problem(app, run, error));
  rh_user_operator_note(app, &run->inputs, &run->spec);
  RH_TRY(find_any_answer(app, run, error));
  RH_TRY(rh_run_report_print(app, &run->report, error));
  rh_run_report_warn(app, &run->report);
  return judge_report(app, &run->report, error);
}

/* On the heap: the stack may be small. */
rh_status rh_mode_run(const rh_app *app, rh_error *error) {
  rh_run_options options;
  RH_TRY(rh_run_options_parse(&options, app->typed, error));
  if (rh_run_options_want_ranks(app->typed)) return rh_run_ranks(app, &options, error);
  run_state *run = calloc(1, sizeof *run);
  if (!run) return rh_fail(error, RH_E_NOMEM, "no memory for a run");
  run->app = app;
  run->options = &options;
  rh_status status = run_it(app, run, error);
  end_sampler(run, NULL);
  rh_run_parts_finish(&run->parts);
  rh_run_devices_finish(&run->devices);
  rh_array_finish(&run->array);
  rh_user_operator_finish(&run->user);
  rh_found_finish(&run->found);
  rh_inputs_finish(&run->inputs);
  free(run);
  return status;
}
