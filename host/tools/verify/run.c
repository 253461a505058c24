/* The parent: starts one child for each test, and never loads the plugin itself. */
#include "internal.h"

/* The stages of a plugin that a test reaches, in each of which it can hang. */
enum { AT_LOADING, AT_QUERY, AT_RUNNING, N_STAGES };
static const char *const hangs[] = {"loading the plugin hangs, see above", "query hangs, see above",
                                    "the plugin hangs between setup and teardown, see above"};

typedef struct runner {
  const rh_verify_spec *spec;
  rh_verify_report *report;
  rh_trial trial; /* what all have in common */
  char *program;
  json_t *names;                        /* of the strategies: strings; empty or null if unknown */
  unsigned char wanted[RH_N_TESTS + 1]; /* by number */
  int is_transport;
  int cannot_load;         /* the process that asked for the names died */
  uint32_t hung[N_STAGES]; /* tests that hung in that stage */
  uint32_t late_ends;      /* processes that did not end by themselves */
  double left_s;           /* forecast */
  double most_left_s;      /* of the limit for all tests */
  uint32_t done, total;
} runner;

/* ---- What is tested, and by which tests ---- */

/* Sets the file's absolute path, and whether it is a transport rather than a plugin.  RH_E_FILE if
 * it is not a regular file, not a shared object, or neither of them.  Runs none of its code. */
static rh_status find_target(runner *r, rh_error *error) {
  const char *file = r->spec->file;
  struct stat st;
  RH_FINISHED(rh_image) image = {0};
  if (stat(file, &st) != 0) return rh_fail(error, RH_E_FILE, "%s: %s", file, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return rh_fail(error, RH_E_FILE, "%s: is a directory; name a plugin file in it", file);
  if (!S_ISREG(st.st_mode)) return rh_fail(error, RH_E_FILE, "%s: is not a regular file", file);
  const char *path = r->trial.path = r->report->path = realpath(file, NULL);
  if (!path) return rh_fail(error, RH_E_FILE, "%s: %s", file, strerror(errno));
  if (rh_is_foreign(path)) return RH_OK;
  if (rh_image_read(&image, path, error) != RH_OK) {
    if (error) error->status = RH_E_FILE;
    return rh_error_prefix(error, RH_E_FILE, "%s", path);
  }
  int may_be_a_plugin = rh_image_defines(&image, RH_PLUGIN_SYMBOL);
  r->is_transport = rh_image_defines(&image, RH_TRANSPORT_SYMBOL) && !may_be_a_plugin;
  /* the descriptor may also be in a dependency, which V14 reports */
  for (uint32_t k = 0; k < image.n_needed; k++)
    may_be_a_plugin |= !rh_library_is_ordinary(image.needed[k]);
  if (r->is_transport || may_be_a_plugin) return RH_OK;
  return rh_fail(error, RH_E_FILE,
                 "%s: exports neither %s nor %s, so it is neither a plugin nor a transport of "
                 "redhost",
                 path, RH_PLUGIN_SYMBOL, RH_TRANSPORT_SYMBOL);
}

/* Marks the tests of a list, "V01,V10-V15", as wanted or not; null: none. */
static rh_status read_list(const char *option, const char *list, int wanted,
                           unsigned char marks[RH_N_TESTS + 1], rh_error *error) {
  for (const char *at = list; at;) {
    char from[4], to[4];
    int length = 0, more = 0;
    if (sscanf(at, "%*1[Vv]%3[0-9]%n-%*1[Vv]%3[0-9]%n", from, &length, to, &more) < 1) break;
    int low = atoi(from), high = more ? atoi(to) : low;
    at += more ? more : length;
    if (low < 1 || high < low || (*at && *at != ',')) break;
    if (high > RH_N_TESTS)
      return rh_fail(error, RH_E_USAGE, "--%s '%s': there is no V%02d; the last one is V%02d",
                     option, list, high, RH_N_TESTS);
    memset(marks + low, wanted, (size_t)(high - low) + 1);
    if (!*at++) return RH_OK;
  }
  if (!list) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--%s '%s': expected tests, as in V01,V10-V15", option, list);
}

/* ---- Time limits ---- */

/* The limit for all tests, or for one, on a stopwatch that excludes waiting for a busy machine.
 * The constant part covers hangs: a minute for the first silent test, and a quarter of one for
 * each of five more. */
static double most_s(double forecast_s) { return 140 + 20 * forecast_s; }

/* After two hangs in one stage, the other tests that reach it are skipped. */
enum { ENOUGH = 2 };

static rh_time_limits time_limits_of(const runner *r, const rh_test *test) {
  int hung = r->hung[AT_LOADING] || r->hung[AT_QUERY] || r->hung[AT_RUNNING];
  double given_s = r->spec->silence_s;
  double limit_s = given_s > 0 ? given_s : test ? test->limit_s : 10;
  double silence_s = hung && limit_s > 15 ? 15 : limit_s;
  double busy_s = hung ? 5 : limit_s > 60 ? limit_s / 3 : 20;
  double most = most_s(test ? test->usual_s : 0);
  int loads_only = test && strcmp(test->id, "V10") == 0;
  return (rh_time_limits){.silence_s = silence_s,
                          .busy_s = busy_s < silence_s ? busy_s : silence_s,
                          .most_s = most < r->most_left_s ? most : r->most_left_s,
                          .end_s = r->late_ends >= ENOUGH ? 0.5
                                   : loads_only           ? 4 * RH_CHILD_DONE_S
                                                          : RH_CHILD_DONE_S};
}

/* Null, or why the test is skipped: after one failure if the plugin takes down every process
 * that loads it, after two if it hangs. */
static const char *skip_reason(const runner *r, const rh_test *test) {
  int loads = test->needs != RH_NEEDS_NOTHING || strcmp(test->id, "V10") > 0;
  if (r->cannot_load && loads) return "the plugin takes down every process that loads it, see V10";
  int reaches = test->needs >= RH_NEEDS_INTERPRETER ? AT_RUNNING
                : test->needs == RH_NEEDS_PLUGIN    ? AT_QUERY
                                                    : AT_LOADING;
  for (int stage = loads ? AT_LOADING : AT_QUERY; stage <= reaches; stage++)
    if (r->hung[stage] >= ENOUGH) return hangs[stage];
  return r->most_left_s <= 0 ? "the time for all tests is over" : NULL;
}

/* ---- One test ---- */

static rh_status run_variant(runner *r, rh_trial trial, rh_attempt *a, rh_error *error) {
  rh_time_limits limits = time_limits_of(r, trial.test);
  if (r->spec->in_process) {
    rh_outcome outcome = rh_trial_run(&trial);
    *a = (rh_attempt){outcome, .text = strdup(trial.error.message), .digest = trial.digest};
    return RH_OK;
  }
  RH_TRY(rh_attempt_run(a, r->program, &trial, &limits, error));
  r->most_left_s -= a->spent_s;
  int stage = strncmp(a->phase, "query", 5) == 0               ? AT_QUERY
              : strcmp(a->phase, "loading") == 0 || !*a->phase ? AT_LOADING
                                                               : AT_RUNNING;
  if (trial.test->needs != RH_NEEDS_INTERPRETER) {
    r->hung[stage] += a->outcome == RH_TIMEOUT;
    r->late_ends += (uint32_t)a->is_late_to_end;
  } else if (a->outcome == RH_CRASH || a->outcome == RH_TIMEOUT) {
    /* it may lack what a device supports, so its own failures are not the plugin's */
    rh_attempt_set(a, RH_SKIP, "the interpreter itself failed: %s", a->text ? a->text : "");
  }
  return RH_OK;
}

/* The worst outcome of the test's processes, whose digests must be equal. */
static rh_status run_test(runner *r, const rh_test *test, const char *strategy, rh_attempt *worst,
                          rh_error *error) {
  rh_trial trial = r->trial;
  uint64_t digest = 0;
  int differ = 0;
  trial.test = test;
  trial.strategy_name = strategy;
  for (uint32_t k = 0; k < test->variants && !rh_outcome_is_bad(worst->outcome); k++) {
    rh_attempt a;
    trial.variant = k;
    RH_TRY(run_variant(r, trial, &a, error));
    differ |= k && a.digest && digest && a.digest != digest;
    digest = a.digest;
    if (k == 0 || a.outcome > worst->outcome) {
      rh_attempt_finish(worst);
      *worst = a;
    } else {
      rh_attempt_finish(&a);
    }
  }
  if (differ && !rh_outcome_is_bad(worst->outcome))
    rh_attempt_set(worst, RH_FAIL,
                   "in another process, with another environment, the answers differ");
  return RH_OK;
}

/* value: null: nothing is added. */
static void add_option(rh_text *text, const char *option, const char *value) {
  if (value) rh_text_add(text, " --%s ", option);
  if (value) rh_text_add_word(text, value);
}

/* The command repeats the test with --verify: --run has no poison around its input and injects
 * no faults. */
static char *reproduce(const runner *r, const rh_test *test) {
  const rh_verify_spec *spec = r->spec;
  rh_text text = {0};
  rh_text_add(&text, "redhost");
  add_option(&text, "verify", r->report->path);
  add_option(&text, "strategy", spec->strategy);
  add_option(&text, "include", test->id);
  if (spec->seed != 1) rh_text_add(&text, " --seed %llu", (unsigned long long)spec->seed);
  if (spec->quick) rh_text_add(&text, " --quick");
  add_option(&text, "device", r->trial.options->device);
  if (test->of == RH_OF_TRANSPORT) add_option(&text, "launch", spec->launch);
  if (spec->own_words && test == &rh_v69) rh_text_add(&text, "%s", spec->own_words);
  return text.s;
}

static rh_status try_one(runner *r, const rh_test *test, const char *strategy, rh_error *error) {
  rh_verify_report *report = r->report;
  RH_FINISHED(rh_attempt) a = {.text = NULL};
  double start = rh_now();
  if (r->spec->begin)
    r->spec->begin(r->spec->user, test->id, strategy, r->done, r->total, r->left_s, r->most_left_s);
  const char *why = skip_reason(r, test);
  if (why) rh_attempt_set(&a, RH_SKIP, "not tried: %s", why);
  else RH_TRY(run_test(r, test, strategy, &a, error));
  RH_TRY(RH_ROOM(&report->results, report->n, "the results", error));
  report->results[report->n++] = (rh_verified){.test = test->id,
                                               .title = test->title,
                                               .strategy = rh_copy_string(strategy),
                                               .outcome = a.outcome,
                                               .text = a.text,
                                               .again = reproduce(r, test),
                                               .seconds = rh_now() - start};
  a.text = NULL;
  report->counts[a.outcome]++;
  r->left_s -= r->spec->quick ? test->usual_quick_s : test->usual_s;
  r->done++;
  return RH_OK;
}

/* ---- All of them ---- */

static const char *name_at(const runner *r, size_t k) {
  const char *name = json_string_value(json_array_get(r->names, k));
  return name ? name : "";
}

/* Leaves the strategy that is wanted.  A file that cannot be loaded may have it. */
static rh_status keep_one(runner *r, rh_error *error) {
  const char *wanted = r->spec->strategy;
  size_t n = json_array_size(r->names), found = 0;
  while (found < n && strcmp(name_at(r, found), wanted) != 0) found++;
  if (n && found == n)
    return rh_fail(error, RH_E_USAGE, "%s: has no strategy '%.64s'; the first one is '%s'",
                   r->report->path, wanted, name_at(r, 0));
  json_decref(r->names);
  r->names = json_pack("[s]", wanted);
  return r->names ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a name");
}

/* In a child, because reading the names means loading the plugin.  A file that cannot be loaded
 * has no names, and its tests say why. */
static rh_status ask_names(runner *r, rh_error *error) {
  RH_FINISHED(rh_attempt) a = {.text = NULL};
  rh_time_limits limits = time_limits_of(r, NULL);
  RH_TRY(rh_attempt_run(&a, r->program, &r->trial, &limits, error));
  r->cannot_load = a.names == NULL;
  r->names = json_incref(a.names);
  return r->spec->strategy ? keep_one(r, error) : RH_OK;
}

static int is_chosen(const runner *r, const rh_test *test) {
  const rh_verify_spec *spec = r->spec;
  if (test->of != RH_OF_FILE && (test->of == RH_OF_TRANSPORT) != r->is_transport) return 0;
  if (test == &rh_v69 && !spec->own && !spec->include) return 0;
  return r->wanted[atoi(test->id + 1)];
}

/* One test of the file alone needs none. */
static int needs_names(const runner *r) {
  int chosen = 0;
  for (int k = 0; k < RH_N_TESTS; k++)
    if (is_chosen(r, rh_tests[k])) chosen += rh_tests[k]->of == RH_OF_STRATEGY ? 2 : 1;
  return chosen != 1 || r->spec->strategy;
}

/* Tries each test on each strategy that it is of; or only counts. */
static rh_status run_all(runner *r, int counts, rh_error *error) {
  for (int k = 0; k < RH_N_TESTS; k++) {
    const rh_test *test = rh_tests[k];
    size_t names = test->of == RH_OF_STRATEGY ? json_array_size(r->names) : 0;
    for (size_t j = 0; is_chosen(r, test) && j < (names ? names : 1); j++)
      if (counts) {
        r->total++;
        r->left_s += r->spec->quick ? test->usual_quick_s : test->usual_s;
      } else {
        RH_TRY(try_one(r, test, names ? name_at(r, j) : NULL, error));
      }
  }
  if (counts) r->most_left_s = most_s(r->left_s);
  if (r->total) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--include '%s' and --exclude '%s' leave no test",
                 r->spec->include ? r->spec->include : "",
                 r->spec->exclude ? r->spec->exclude : "");
}

rh_status rh_verify(rh_verify_report *report, const rh_options *options, const rh_verify_spec *spec,
                    rh_error *error) {
  runner r = {.spec = spec,
              .report = report,
              .trial = {.options = options,
                        .own = spec->own,
                        .launch = spec->launch,
                        .quick = spec->quick,
                        .seed = spec->seed},
              .most_left_s = most_s(0)};
  double start = rh_now();
  *report = (rh_verify_report){0};
  memset(r.wanted, !spec->include, sizeof r.wanted);
  RH_TRY(read_list("include", spec->include, 1, r.wanted, error));
  RH_TRY(read_list("exclude", spec->exclude, 0, r.wanted, error));
  RH_TRY(find_target(&r, error));
  rh_status status = rh_child_program(options, &r.program, error);
  if (status == RH_OK && needs_names(&r)) status = ask_names(&r, error);
  if (status == RH_OK) status = run_all(&r, 1, error);
  if (status == RH_OK) status = run_all(&r, 0, error);
  json_decref(r.names);
  free(r.program);
  report->seconds = rh_now() - start;
  return status;
}

void rh_verify_report_finish(rh_verify_report *report) {
  for (uint32_t k = 0; k < report->n; k++) {
    free(report->results[k].strategy);
    free(report->results[k].text);
    free(report->results[k].again);
  }
  free(report->results);
  free(report->path);
  *report = (rh_verify_report){0};
}
