/* A --run whose elements are in this process's memory, or in that of a child, as a whole: by the
 * sampler that benchmarks use. */
#include "run.h"

/* Bytes.  Below, pinning the slots of a stream takes longer than is gained. */
enum { LEAST_COPIED = 64 << 20 };

static const rh_run_device *own_of(const rh_run_state *run) { return &run->devices.list[0]; }

/* Computes the reference, before the strategy runs. */
static rh_status refer(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  if (run->app->typed->check == RH_CHECK_NONE)
    return run->job.operation.op->is_custom ? RH_OK : rh_selftest(run, error);
  double start = rh_now();
  RH_TRY(rh_job_reference(&run->job, rh_array_data(&run->array),
                          &run->app->context->options.reporter, &report->reference, error));
  report->check_s = rh_now() - start;
  return RH_OK;
}

/* Elements that were copied or generated nobody else can change. */
static rh_status check(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const void *operands[RH_MOST_OPERANDS];
  uint64_t n = run->job.operation.n;
  int may_change = run->app->typed->input && !run->array.region.own;
  const rh_job_part all = {operands, 0, n, n, 0, may_change};
  const rh_answered answered = {run->app->context, rh_run_device_of(run), report->opened.depth,
                                &report->result, NULL};
  if (run->app->typed->check == RH_CHECK_NONE) return RH_OK;
  rh_job_operands_at(&run->job, rh_array_data(&run->array), operands);
  return rh_job_judge_on(&run->job, &all, &answered, &report->reference, &report->verdict, error);
}

/* With a file, the user wants the answer; with generated data, the time. */
static int is_to_be_measured(const rh_run_state *run) {
  const rh_typed *typed = run->app->typed;
  return !rh_run_is_wrong(run) && !typed->quiet && (!typed->input || typed->verbose);
}

/* A child maps one file, so several of them are copied. */
static rh_status share(rh_run_state *run, rh_error *error) {
  rh_array *array = &run->array;
  rh_region shared;
  if (!run->job.operation.op->is_custom || array->region.shared) return RH_OK;
  rh_status status = rh_region_alloc_shared(&shared, array->region.bytes, error);
  RH_TRY(status == RH_E_NOMEM ? rh_error_prefix(error, status, "%s", run->what) : status);
  memcpy(shared.address, array->region.address, array->region.bytes);
  rh_region_finish(&array->region);
  array->region = shared;
  return RH_OK;
}

/* Allocates memory for generated data.  Shared pages are used only if a child needs them, because
 * private ones are faster. */
static rh_status reserve(rh_run_state *run, rh_error *error) {
  if (run->app->typed->input) return own_of(run)->isolated ? share(run, error) : RH_OK;
  rh_type type = run->job.operation.op->type;
  uint64_t n = run->job.operation.n;
  if (run->job.operation.op->is_custom) { /* operands of several types, side by side */
    type = RH_TYPE_u8;
    n = rh_operand_layout(&run->job, run->job.offsets);
  }
  rh_status status = rh_array_reserve(&run->array, type, n, own_of(run)->isolated, error);
  run->has_no_room = status == RH_E_NOMEM;
  if (run->has_no_room) rh_error_prefix(error, status, "%s", run->what);
  run->app->context->device_failed |= status != RH_OK;
  return status;
}

static rh_status fill(rh_run_state *run, rh_error *error) {
  if (run->app->typed->input) return RH_OK;
  const rh_typed *typed = run->app->typed;
  const rh_reporter *reporter = &run->app->context->options.reporter;
  return rh_operand_data_fill(&run->array, &run->job, typed->data, typed->seed, reporter, error);
}

/* If the bound is weak, runs the same strategy on exact data, too. */
static rh_status confirm(rh_run_state *run, rh_error *error) {
  rh_verdict *verdict = &run->report.verdict;
  RH_FINISHED(rh_exact_data) exact = {0};
  rh_result result;
  rh_error why = {0};
  if (run->job.operation.op->is_custom)
    rh_exact_data_settle(verdict, "none are known for operators of one's own");
  if (!rh_run_is_checked(run) || !rh_exact_data_is_needed(verdict)) return RH_OK;
  rh_status status =
      rh_exact_data_make(&exact, run->job.operation.op, run->job.operation.n, NULL,
                         own_of(run)->isolated, &run->app->context->options.reporter, &why);
  if (status == RH_OK)
    status = rh_run_once(run->app, &run->job, rh_run_device_of(run), own_of(run)->isolated,
                         &exact.array, &result, &why);
  if (status == RH_OK) rh_exact_data_add(&exact, &result, verdict);
  else if (rh_exact_data_is_too_much(status)) rh_exact_data_settle(verdict, why.message);
  else if (error) *error = why;
  return rh_exact_data_is_too_much(status) ? RH_OK : status;
}

/* The first run, which is checked, and more runs if they are to be timed. */
static rh_status take_samples(rh_run_state *run, rh_error *error) {
  static const rh_take once = {RH_TAKE_LATENCY, 1};
  const rh_sampler *sampler = &run->sampler;
  rh_run_report *report = &run->report;
  rh_taken taken;
  RH_TRY(sampler->take(sampler->self, &once, &taken, error));
  report->first_s = taken.seconds;
  report->result = taken.result;
  RH_TRY(check(run, error));
  RH_TRY(confirm(run, error));
  if (!rh_run_is_wrong(run)) rh_accuracy_take(&run->job, &report->reference, &report->result);
  return is_to_be_measured(run) ? rh_run_measure(run, sampler, error) : RH_OK;
}

/* From pinned memory and beside the copies, a file that is copied once is reduced sooner. */
static int is_faster_streamed(const rh_run_state *run) {
  const rh_typed *typed = run->app->typed;
  const rh_cl_device *device = rh_run_device_of(run);
  uint32_t size = rh_operator_element_bytes(run->job.operation.op);
  /* With -v it is timed, with the data on the device; `auto` has counted the copy as a whole. */
  if (!typed->input || typed->verbose || own_of(run)->isolated || strcmp(typed->name, "auto") == 0)
    return 0;
  for (uint32_t k = 0; k < run->inputs.n; k++)
    if (run->inputs.feeds[k].is_pipe) return 0; /* it has been read */
  return device && !device->shares_memory && run->job.operation.n >= LEAST_COPIED / size;
}

/* ---- Segments, which have a value each ---- */

static rh_status take_segments(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  rh_segments *segments = self;
  (void)how;
  RH_TRY(rh_segments_run(segments, error));
  taken->seconds = segments->seconds;
  return RH_OK;
}

static rh_status reduce_segments(rh_run_state *run, rh_error *error) {
  static const rh_series series = {{RH_TAKE_LATENCY, 1}, RH_MOST_IN_A_SERIES, 0.3};
  const rh_sampler sampler = {.self = &run->segments, .take = take_segments};
  const void *operands[RH_MOST_OPERANDS];
  rh_segments *segments = &run->segments;
  rh_context *context = run->app->context;
  int may_change = run->app->typed->input && !run->array.region.own;
  if (own_of(run)->isolated) return rh_run_segments_decline(&run->job, error);
  RH_TRY(reserve(run, error));
  RH_TRY(fill(run, error));
  rh_job_operands_at(&run->job, rh_array_data(&run->array), operands);
  RH_TRY(rh_segments_open(segments, context, &run->job,
                          run->shape.is_scattered ? &run->shape.axes : NULL, error));
  RH_TRY(rh_segments_bring(segments, operands, error));
  RH_TRY(rh_segments_run(segments, error));
  if (rh_run_is_checked(run)) RH_TRY(rh_segments_judge(segments, may_change, &run->judged, error));
  if (run->judged.is_wrong || !is_to_be_measured(run)) return RH_OK;
  return rh_measure_series(&sampler, &series, &context->options.reporter, &run->series, error);
}

/* ---- All ---- */

/* What `auto` chose, from outside of redhost, for a result that the order decides. */
static rh_status try_order(const rh_run_state *run, rh_error *error) {
  const rh_job_spec *job = &run->job;
  const rh_operator *op = job->operation.op;
  int is_chosen = strcmp(run->app->typed->name, "auto") == 0 && !own_of(run)->found.installed;
  if (!is_chosen || job->operation.n == 0 || op->is_custom || !rh_op_rounds(op->base, op->type))
    return RH_OK;
  rh_status status = rh_selftest_order(run, error);
  if (status == RH_E_WRONG)
    rh_context_blame(run->app->context, job->strategy, job->plugin, op, job->operation.n);
  return status;
}

/* The whole run before anything is printed: queries the strategy, creates the data, reduces,
 * checks, measures if wanted, and tears down.  Or finds that the data are to be streamed. */
static rh_status reduce(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const rh_sampler *sampler = &run->sampler;
  rh_tunedb *tuned;
  /* Errors of the command line are reported before limits of this machine. */
  if (!own_of(run)->isolated) RH_TRY(rh_job_check_settings(run->app->context, &run->job, error));
  RH_TRY(rh_job_device(run->app->context, &run->job, own_of(run)->found.device_kinds,
                       &run->devices.streams[0].device, error));
  RH_TRY(try_order(run, error));
  if (run->job.operation.layout) return reduce_segments(run, error);
  if (is_faster_streamed(run)) {
    run->way = RH_RUN_STREAMED;
    return RH_OK;
  }
  /* Children do not report its errors. */
  RH_TRY(rh_context_tuned(run->app->context, &tuned, error));
  RH_TRY(reserve(run, error));
  const rh_bench_data data = rh_run_data(&run->job, &run->array);
  RH_TRY(rh_run_sampler(&run->sampler, &run->shared, run->app, &run->job, rh_run_device_of(run),
                        own_of(run)->isolated, error));
  RH_TRY(sampler->ask(sampler->self, &data, &report->opened, error));
  RH_TRY(fill(run, error));
  RH_TRY(refer(run, error));
  RH_TRY(sampler->open(sampler->self, &data, &report->opened, error));
  RH_TRY(take_samples(run, error));
  return rh_run_end_sampler(run, error);
}

/* With the strategy that was named, or the one that `auto` chooses. */
static rh_status attempt(void *of_run, int *is_final, rh_error *error) {
  rh_run_state *run = of_run;
  rh_error why = {0};
  rh_status status = rh_run_device_locate(&run->devices, 0, &run->wanted, &why);
  if (status == RH_OK) {
    run->job = own_of(run)->spec;
    status = reduce(run, &why);
  }
  /* No other strategy needs less memory for the values of segments. */
  *is_final = status == RH_E_NOMEM && run->job.operation.layout && !run->segments.values;
  /* Checked first, because a changed file explains other errors. */
  RH_TRY(rh_run_check_unchanged(run, error));
  if (status != RH_OK) *error = why;
  return status;
}

rh_status rh_run_in_memory(rh_run_state *run, rh_error *error) {
  return rh_run_try(run, run->asked.operation.n, attempt, error);
}
