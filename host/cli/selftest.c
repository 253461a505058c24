
#include "../operators/foreign/foreign.h"
#include "../tools/verify/verify.h"
#include "run.h"

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

/* ---- Tests that were passed are remembered in the cache ---- */

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

static rh_status run_general_tests(const rh_app *app, const rh_job_spec *job, rh_error *error) {
  rh_verify_spec spec = {
      .file = job->plugin, .strategy = job->strategy, .include = "V42,V43", .seed = 1, .quick = 2};
  RH_FINISHED(rh_verify_report) report = {0};
  RH_TRY(rh_verify(&report, &app->context->options, &spec, error));
  for (uint32_t k = 0; k < report.n; k++)
    if (rh_outcome_is_bad(report.results[k].outcome))
      return rh_fail(error, RH_E_WRONG,
                     "strategy '%s' fails its self-test here and is not run unchecked: %s",
                     job->strategy, report.results[k].text);
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
  rh_status status =
      rh_run_once(run->app, &job, rh_run_device_of(run), 1, &exact.array, &result, error);
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
static rh_status test_requested_problem(const rh_run_state *run, rh_error *error) {
  static const uint64_t small[] = {1, 33, 1003}, most = UINT64_C(1) << 24;
  uint64_t n = run->job.operation.n;
  for (size_t k = 0; k < sizeof small / sizeof *small; k++)
    if (small[k] < n) RH_TRY(try_size(run, small[k], NULL, error));
  /* The bounds of the type, which random data do not reach. */
  if (run->job.operation.op->abi->flags & RH_OP_EXACT)
    RH_TRY(try_size(run, n < 33 ? n + 1 : 33, "ends", error));
  return n ? try_size(run, n < most ? n : most, NULL, error) : RH_OK;
}

static rh_status test_all(const rh_run_state *run, rh_error *error) {
  rh_log(&run->app->context->options.reporter, RH_LOG_INFO,
         "first unchecked run of '%s' here: a self-test runs first", run->job.strategy);
  RH_TRY(run_general_tests(run->app, &run->job, error));
  return test_requested_problem(run, error);
}

rh_status rh_selftest(const rh_run_state *run, rh_error *error) {
  const rh_opened *opened = &run->report.opened;
  RH_FINISHED(rh_text) key = {0};
  make_key(&key, "self-test 3", run);
  if (key.s) rh_text_add(&key, "2^%u", 63 - (unsigned)__builtin_clzll(run->job.operation.n | 1));
  for (uint32_t k = 0; key.s && k < opened->n_used; k++)
    rh_text_add(&key, " %s=%s", opened->used[k].key, opened->used[k].text);
  return pass(run, &key, test_all, error);
}

/* ---- Before a run that `auto` chose ---- */

static rh_status try_order(const rh_run_state *run, rh_error *error) {
  RH_FINISHED(rh_canonical_trial) trial = {0};
  rh_result result;
  rh_job_spec job = run->job;
  uint32_t op = job.operation.op->base;
  rh_status status =
      rh_canonical_trial_make(&trial, op, job.operation.op->type, UINT64_MAX, 1, error);
  job.operation.n = trial.array.n;
  if (status == RH_OK)
    status = rh_run_once(run->app, &job, rh_run_device_of(run), 1, &trial.array, &result, error);
  if (status == RH_OK) status = rh_canonical_trial_judge(&trial, op, job.strategy, &result, error);
  return status == RH_DECLINED ? RH_OK : status;
}

rh_status rh_selftest_order(const rh_run_state *run, rh_error *error) {
  RH_FINISHED(rh_text) key = {0};
  make_key(&key, "canonical order 2", run);
  return pass(run, &key, try_order, error);
}
