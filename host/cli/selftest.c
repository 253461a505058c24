
#include "../operators/foreign/foreign.h"
#include "../tools/verify/verify.h"
#include "run.h"

static int is_description(const char *plugin) {
  size_t length = strlen(plugin);
  return length > 5 && strcmp(plugin + length - 5, ".json") == 0;
}

/* The hash of the library that a description names by a path; 0 without a path, when only the
 * loader knows the file. */
static uint64_t hash_library(const char *description) {
  rh_foreign foreign;
  char text[RH_FOREIGN_MOST_BYTES];
  FILE *file = fopen(description, "rbe");
  if (!file) return 0;
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  if (rh_foreign_read(&foreign, description, text, length, NULL) != RH_OK) return 0;
  char *path = rh_foreign_library(&foreign, description);
  uint64_t hash = path ? rh_tunedb_plugin(path) : 0;
  free(path);
  rh_foreign_finish(&foreign);
  return hash;
}

/* ---- Tests that were passed are remembered in the cache ---- */

/* Makes no key if a file cannot be identified: then the test is always run. */
static void make_key(rh_text *key, const char *test, const rh_job_spec *job,
                     const rh_cl_device *device) {
  uint64_t plugin = rh_tunedb_plugin(job->plugin), library = 0;
  if (is_description(job->plugin)) library = hash_library(job->plugin);
  if (!plugin || (is_description(job->plugin) && !library)) return;
  rh_text_add(key, "%s\n%s\n%016" PRIx64 " %016" PRIx64 "\n%s %s\n%s\n%s\n%s\n%s\n", test,
              job->strategy, plugin, library, job->operation.op->name,
              rh_type_name(job->operation.op->type), rh_version(),
              device ? device->platform_version : "host", device ? device->name : "",
              device ? device->driver : "");
}

static int was_passed(const rh_app *app, const rh_text *key) {
  size_t bytes;
  unsigned char *known = key->s ? rh_cache_load(&app->context->cache, key->s, &bytes) : NULL;
  int is_known = known != NULL;
  free(known);
  return is_known;
}

static rh_status remember(const rh_app *app, const rh_text *key, rh_status status) {
  static const unsigned char passed[] = "passed";
  if (status == RH_OK && key->s)
    rh_cache_store(&app->context->cache, key->s, passed, sizeof passed);
  return status;
}

/* ---- Before unchecked runs ---- */

static rh_status run_general_tests(const rh_app *app, const rh_job_spec *job, rh_error *error) {
  rh_verify_spec spec = {
      .file = job->plugin, .strategy = job->strategy, .include = "V42,V43", .seed = 1, .quick = 2};
  rh_verify_report report;
  RH_TRY(rh_verify(&report, &app->context->options, &spec, error));
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < report.n && status == RH_OK; k++)
    if (rh_outcome_is_bad(report.results[k].outcome))
      status = rh_fail(error, RH_E_WRONG,
                       "strategy '%s' fails its self-test here and is not run unchecked: %s",
                       job->strategy, report.results[k].text);
  rh_verify_report_finish(&report);
  return status;
}

static rh_status try_size(const rh_app *app, const rh_run_report *report, uint64_t n,
                          const char *kind, rh_error *error) {
  rh_job_spec job = *report->spec;
  rh_exact_data exact;
  rh_result result;
  char got[64], expected[64];
  job.operation.n = n;
  RH_TRY(rh_exact_data_make(&exact, job.operation.op, n, kind, 1, &app->context->options.reporter,
                            error));
  const rh_run_spec spec = {.context = app->context,
                            .job = &job,
                            .device = report->device,
                            .isolated = 1,
                            .timeout_s = 60};
  rh_status status = rh_run_once(&spec, &exact.array, &result, error);
  if (status == RH_DECLINED) status = RH_OK; /* the strategy needs more elements */
  else if (status == RH_OK && !rh_exact_data_agrees(&exact, &result)) {
    rh_format_answer(got, &result);
    rh_format_answer(expected, &exact.reference.result);
    status =
        rh_fail(error, RH_E_WRONG,
                "strategy '%s' fails its self-test here and is not run unchecked: %s of %" PRIu64
                " elements of %s is %s instead of %s",
                job.strategy, job.operation.op->name, n, rh_type_name(job.operation.op->type), got,
                expected);
  }
  rh_exact_data_finish(&exact);
  return status;
}

/* Tests the requested problem, up to a size that takes no longer than a check. */
static rh_status test_requested_problem(const rh_app *app, const rh_run_report *report,
                                        rh_error *error) {
  static const uint64_t small[] = {1, 33, 1003}, most = UINT64_C(1) << 24;
  uint64_t n = report->spec->operation.n;
  for (size_t k = 0; k < sizeof small / sizeof *small; k++)
    if (small[k] < n) RH_TRY(try_size(app, report, small[k], NULL, error));
  /* The bounds of the type, which random data do not reach. */
  if (report->spec->operation.op->abi->flags & RH_OP_EXACT)
    RH_TRY(try_size(app, report, n < 33 ? n + 1 : 33, "ends", error));
  return n ? try_size(app, report, n < most ? n : most, NULL, error) : RH_OK;
}

static rh_status test_all(const rh_app *app, const rh_run_report *report, rh_error *error) {
  rh_log(&app->context->options.reporter, RH_LOG_INFO,
         "first unchecked run of '%s' here: a self-test runs first", report->spec->strategy);
  RH_TRY(run_general_tests(app, report->spec, error));
  return test_requested_problem(app, report, error);
}

rh_status rh_selftest(const rh_app *app, const rh_run_report *report, rh_error *error) {
  const rh_opened *opened = &report->opened;
  rh_text key = {0};
  rh_status status = RH_OK;
  make_key(&key, "self-test 3", report->spec, report->device);
  if (key.s)
    rh_text_add(&key, "2^%u", 63 - (unsigned)__builtin_clzll(report->spec->operation.n | 1));
  for (uint32_t k = 0; key.s && k < opened->n_used; k++)
    rh_text_add(&key, " %s=%s", opened->used[k].key, opened->used[k].text);
  if (key.failed) status = rh_fail(error, RH_E_NOMEM, "no memory for a key");
  else if (!was_passed(app, &key)) status = remember(app, &key, test_all(app, report, error));
  rh_text_finish(&key);
  return status;
}

/* ---- Before a run that `auto` chose ---- */

static rh_status try_order(const rh_app *app, rh_job_spec *job, const rh_cl_device *device,
                           rh_error *error) {
  rh_canonical_trial trial;
  rh_result result;
  rh_status status = rh_canonical_trial_make(&trial, job->operation.op->base,
                                             job->operation.op->type, UINT64_MAX, 1, error);
  job->operation.n = trial.array.n;
  const rh_run_spec spec = {
      .context = app->context, .job = job, .device = device, .isolated = 1, .timeout_s = 60};
  if (status == RH_OK) status = rh_run_once(&spec, &trial.array, &result, error);
  if (status == RH_OK)
    status =
        rh_canonical_trial_judge(&trial, job->operation.op->base, job->strategy, &result, error);
  rh_canonical_trial_finish(&trial);
  return status == RH_DECLINED ? RH_OK : status;
}

rh_status rh_selftest_order(const rh_app *app, const rh_job_spec *asked, uint32_t device_kinds,
                            rh_error *error) {
  const rh_cl_device *device;
  rh_job_spec job = *asked;
  rh_text key = {0};
  rh_status status = RH_OK;
  RH_TRY(rh_job_device(app->context, &job, device_kinds, &device, error));
  make_key(&key, "canonical order 2", &job, device);
  if (!was_passed(app, &key)) status = remember(app, &key, try_order(app, &job, device, error));
  rh_text_finish(&key);
  return status;
}
