/* redhost --run NAME, by this process.  Elements that are in its memory, or in that of a child, as
 * a whole are reduced here, by the sampler that benchmarks use. */
#include "../operators/foreign/foreign.h"
#include "../tools/verify/verify.h"
#include "run.h"

/* Bytes.  Below, pinning the slots of a stream takes longer than is gained. */
enum { LEAST_COPIED = 64 << 20 };

static const rh_run_device *own_of(const rh_run_state *run) { return &run->devices[0]; }

/* ---- The strategy as a sampler ---- */

/* In this process, for which `shared` is filled, or in its own.  The job has the strategy's own
 * name and its file; it and `shared` must outlive the sampler. */
static rh_status open_sampler(const rh_run_state *run, rh_sampler *sampler, rh_local_shared *shared,
                              const rh_job_spec *job, int isolated, rh_error *error) {
  const rh_app *app = run->app;
  rh_found found = {.path = (char *)(uintptr_t)job->plugin}; /* read-only */
  snprintf(found.name, sizeof found.name, "%s", job->strategy);
  *shared = (rh_local_shared){.context = app->context, .strict = 1, .what = job->operation.what};
  if (isolated)
    return rh_isolated_job(sampler, &app->context->options, job, rh_run_device_of(run),
                           rh_limit_s(app->typed), error);
  return rh_local_sampler(sampler, shared, &found, job->settings, job->n_settings, error);
}

/* The elements of the array, reduced in place. */
static rh_bench_data data_of(const rh_job_spec *job, const rh_array *array) {
  return (rh_bench_data){.op = job->operation.op,
                         .offsets = job->offsets,
                         .n = job->operation.n,
                         .elements = rh_array_data(array),
                         .region = &array->region,
                         .offset = array->offset_bytes};
}

/* One more run of the strategy, on other data. */
static rh_status run_once(const rh_run_state *run, const rh_job_spec *job, int isolated,
                          const rh_array *array, rh_result *result, rh_error *error) {
  rh_local_shared shared;
  rh_sampler sampler;
  const rh_bench_data data = data_of(job, array);
  RH_TRY(open_sampler(run, &sampler, &shared, job, isolated, error));
  rh_status status = rh_sampler_once(&sampler, &data, result, error);
  sampler.finish(sampler.self);
  return status;
}

/* ---- Tests that were passed are remembered in the cache ---- */

/* The hash of the library that a description names by a path; 0 without a path, when only the
 * loader knows the file. */
static uint64_t hash_library(const char *description) {
  RH_FINISHED(rh_foreign) foreign = {0};
  char text[RH_FOREIGN_MOST_BYTES];
  FILE *file = fopen(description, "rbe");
  if (!file) return 0;
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  if (rh_foreign_read(&foreign, description, text, length, NULL) != RH_OK) return 0;
  RH_FREED(char) path = rh_foreign_library(&foreign, description);
  return path ? rh_tunedb_plugin(path) : 0;
}

/* Makes no key if a file cannot be identified: then the test is always run. */
static void make_key(rh_text *key, const char *test, const rh_run_state *run) {
  const rh_job_spec *job = &run->job;
  const rh_cl_device *device = rh_run_device_of(run);
  uint64_t plugin = rh_tunedb_plugin(job->plugin), library = 0;
  if (rh_has_suffix(job->plugin, ".json")) library = hash_library(job->plugin);
  if (!plugin || (rh_has_suffix(job->plugin, ".json") && !library)) return;
  rh_text_add(key, "%s\n%s\n%016" PRIx64 " %016" PRIx64 "\n%s %s\n%s\n%s\n%s\n%s\n", test,
              job->strategy, plugin, library, job->operation.op->name,
              rh_type_name(job->operation.op->type), rh_version(),
              device ? device->platform_version : "host", device ? device->name : "",
              device ? device->driver : "");
}

static rh_status pass(const rh_run_state *run, const rh_text *key,
                      rh_status (*test)(const rh_run_state *run, rh_error *error),
                      rh_error *error) {
  static const char passed[] = "passed";
  rh_cache *cache = &run->app->context->cache;
  size_t bytes;
  RH_FREED(char) known = key->s ? rh_cache_load(cache, key->s, &bytes) : NULL;
  if (known) return RH_OK;
  RH_TRY(test(run, error));
  if (key->s) rh_cache_store(cache, key->s, passed, sizeof passed);
  return RH_OK;
}

/* ---- Before unchecked runs ---- */

static rh_status run_general_tests(const rh_run_state *run, rh_error *error) {
  rh_verify_spec spec = {.file = run->job.plugin,
                         .strategy = run->job.strategy,
                         .include = "V42,V43",
                         .seed = 1,
                         .quick = 2};
  RH_FINISHED(rh_verify_report) report = {0};
  RH_TRY(rh_verify(&report, &run->app->context->options, &spec, error));
  for (uint32_t k = 0; k < report.n; k++)
    if (rh_outcome_is_bad(report.results[k].outcome))
      return rh_fail(error, RH_E_WRONG,
                     "strategy '%s' fails its self-test here and is not run unchecked: %s",
                     run->job.strategy, report.results[k].text);
  return RH_OK;
}

static rh_status try_size(const rh_run_state *run, uint64_t n, const char *kind, rh_error *error) {
  rh_job_spec job = run->job;
  RH_FINISHED(rh_exact_data) exact = {0};
  rh_result result;
  char got[64], expected[64];
  job.operation.n = n;
  RH_TRY(rh_exact_data_make(&exact, job.operation.op, n, kind, 1,
                            &run->app->context->options.reporter, error));
  rh_status status = run_once(run, &job, 1, &exact.array, &result, error);
  if (status == RH_DECLINED) return RH_OK; /* the strategy needs more elements */
  if (status != RH_OK || rh_exact_data_agrees(&exact, &result)) return status;
  return rh_fail(error, RH_E_WRONG,
                 "strategy '%s' fails its self-test here and is not run unchecked: %s of %" PRIu64
                 " elements of %s is %s instead of %s",
                 job.strategy, job.operation.op->name, n, rh_type_name(job.operation.op->type),
                 rh_format_answer(got, &result),
                 rh_format_answer(expected, &exact.reference.result));
}

/* The requested problem, up to a size that takes no longer than a check. */
static rh_status test_all(const rh_run_state *run, rh_error *error) {
  static const uint64_t small[] = {1, 33, 1003}, most = UINT64_C(1) << 24;
  uint64_t n = run->job.operation.n;
  rh_log(&run->app->context->options.reporter, RH_LOG_INFO,
         "first unchecked run of '%s' here: a self-test runs first", run->job.strategy);
  RH_TRY(run_general_tests(run, error));
  for (size_t k = 0; k < sizeof small / sizeof *small; k++)
    if (small[k] < n) RH_TRY(try_size(run, small[k], NULL, error));
  /* The bounds of the type, which random data do not reach. */
  if (run->job.operation.op->abi->flags & RH_OP_EXACT)
    RH_TRY(try_size(run, n < 33 ? n + 1 : 33, "ends", error));
  return n ? try_size(run, n < most ? n : most, NULL, error) : RH_OK;
}

/* Before the first unchecked run of a strategy for a problem on a device, in children: V42 and V43
 * of --verify, quickly; then the requested operator, type, parameters and size, on data that are
 * exact in every order of operations.  A passed test is remembered in the cache by the content of
 * the plugin's file (and of the library that a description names by a path), the operator, type,
 * parameters and power of two of the size, and the device with its driver, because drivers can
 * break, too.  A failed test is RH_E_WRONG.  The strategy has answered. */
static rh_status test_before_unchecked(const rh_run_state *run, rh_error *error) {
  const rh_opened *opened = &run->report.opened;
  RH_FINISHED(rh_text) key = {0};
  make_key(&key, "self-test 3", run);
  if (key.s) rh_text_add(&key, "2^%u", 63 - (unsigned)__builtin_clzll(run->job.operation.n | 1));
  for (uint32_t k = 0; key.s && k < opened->n_used; k++)
    rh_text_add(&key, " %s=%s", opened->used[k].key, opened->used[k].text);
  return pass(run, &key, test_all, error);
}

/* ---- Before a run that `auto` chose ---- */

/* Has it the bits of the canonical order that it promises, on some thousand elements?  RH_E_WRONG:
 * no.  RH_OK as well where it declines so many elements. */
static rh_status test_order(const rh_run_state *run, rh_error *error) {
  RH_FINISHED(rh_canonical_trial) trial = {0};
  rh_result result;
  rh_job_spec job = run->job;
  uint32_t op = job.operation.op->base;
  rh_status status =
      rh_canonical_trial_make(&trial, op, job.operation.op->type, UINT64_MAX, 1, error);
  job.operation.n = trial.array.n;
  if (status == RH_OK) status = run_once(run, &job, 1, &trial.array, &result, error);
  if (status == RH_OK) status = rh_canonical_trial_judge(&trial, op, job.strategy, &result, error);
  return status == RH_DECLINED ? RH_OK : status;
}

/* What `auto` chose, from outside of redhost, for a result that the order decides, is tested in a
 * child. */
static rh_status try_order(const rh_run_state *run, rh_error *error) {
  const rh_job_spec *job = &run->job;
  const rh_operator *op = job->operation.op;
  RH_FINISHED(rh_text) key = {0};
  int is_chosen = strcmp(run->app->typed->name, "auto") == 0 && !own_of(run)->found.installed;
  if (!is_chosen || job->operation.n == 0 || op->is_custom || !rh_op_rounds(op->base, op->type))
    return RH_OK;
  make_key(&key, "canonical order 2", run);
  rh_status status = pass(run, &key, test_order, error);
  if (status == RH_E_WRONG)
    rh_context_blame(run->app->context, job->strategy, job->plugin, op, job->operation.n);
  return status;
}

/* ---- Data and samples ---- */

/* Computes the reference, before the strategy runs. */
static rh_status refer(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  if (run->app->typed->check == RH_CHECK_NONE)
    return run->job.operation.op->is_custom ? RH_OK : test_before_unchecked(run, error);
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
    status = run_once(run, &run->job, own_of(run)->isolated, &exact.array, &result, &why);
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
  if (!is_to_be_measured(run)) return RH_OK;
  return rh_measure_quick(sampler, &report->opened, &run->app->context->options.reporter,
                          &report->quick, error);
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
  return rh_measure_series(&sampler, &series, &context->options.reporter, &run->report.quick.time,
                           error);
}

/* ---- In memory ---- */

/* The whole run before anything is printed: queries the strategy, creates the data, reduces,
 * checks, measures if wanted, and tears down.  Or finds that the data are to be streamed. */
static rh_status reduce(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const rh_sampler *sampler = &run->sampler;
  rh_tunedb *tuned;
  /* Errors of the command line are reported before limits of this machine. */
  if (!own_of(run)->isolated) RH_TRY(rh_job_check_settings(run->app->context, &run->job, error));
  RH_TRY(rh_job_device(run->app->context, &run->job, own_of(run)->found.device_kinds,
                       &run->streams[0].device, error));
  RH_TRY(try_order(run, error));
  if (run->job.operation.layout) return reduce_segments(run, error);
  if (is_faster_streamed(run)) {
    run->way = RH_RUN_STREAMED;
    return RH_OK;
  }
  /* Children do not report its errors. */
  RH_TRY(rh_context_tuned(run->app->context, &tuned, error));
  RH_TRY(reserve(run, error));
  const rh_bench_data data = data_of(&run->job, &run->array);
  RH_TRY(open_sampler(run, &run->sampler, &run->shared, &run->job, own_of(run)->isolated, error));
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
  rh_status status = rh_run_device_locate(run, 0, &run->wanted, &why);
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

/* ---- The mode ---- */

/* Generated data are streamed without being asked for up to so many times the memory: more would be
 * hours of work that nobody expects. */
enum { MOST_MEMORIES = 8 };

/* After a run that ended with `status`: is a stream faster, or was it for lack of room, which a
 * stream does not need? */
static int should_stream(const rh_run_state *run, rh_run_way before, rh_status status) {
  const rh_typed *typed = run->app->typed;
  const rh_cl_device *device = run->app->context->device;
  const rh_operation *operation = &run->asked.operation;
  uint64_t memory = rh_machine_memory(), most = 0;
  uint32_t size = rh_operator_element_bytes(operation->op);
  int has_failed = status == RH_E_DEVICE || status == RH_E_NOMEM;
  if (before != RH_RUN_IN_MEMORY) return before == RH_RUN_SPLIT && has_failed;
  if (run->way == RH_RUN_STREAMED) return 1;
  if (!has_failed || !memory || rh_when(typed->isolate, 0)) return 0;
  if (!typed->input && operation->n > MOST_MEMORIES * memory / size) return 0;
  if (device) most = device->about.max_alloc_bytes;
  return operation->n > memory / size || (most && operation->n > most / size) || run->has_no_room;
}

static rh_status find_answer(rh_run_state *run, rh_error *error) {
  rh_run_way way = run->way;
  rh_error why = {0};
  rh_status status = way == RH_RUN_STREAMED ? rh_run_streamed(run, &why)
                     : way == RH_RUN_SPLIT  ? rh_run_split(run, &why)
                                           : rh_run_try(run, run->asked.operation.n, attempt, &why);
  if (should_stream(run, way, status)) {
    RH_TRY(rh_run_stream_instead(run, error));
    return rh_run_streamed(run, error);
  }
  if (status != RH_OK) *error = why;
  return status;
}

static rh_status run_it(rh_run_state *run, rh_error *error) {
  RH_TRY(rh_run_find_data(run, error));
  RH_TRY(rh_segments_files_open(run, error));
  RH_TRY(find_answer(run, error));
  return rh_run_print(run, error);
}

/* On the heap: a run takes much of a stack that is small. */
rh_status rh_mode_run(const rh_app *app, rh_error *error) {
  if (rh_wants_ranks(app->typed)) return rh_run_ranks(app, error);
  RH_FREED(rh_run_state) run = NULL;
  RH_TRY(RH_NEW(&run, 1, "a run", error));
  rh_run_begin(run, app);
  rh_status status = run_it(run, error);
  rh_run_state_finish(run);
  return status;
}
