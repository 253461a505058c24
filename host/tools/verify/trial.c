/* A trial is one test of one strategy: the parent asks a child for it, and judges the child by its
 * messages and how it ended. */
#include "internal.h"

#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../choose/choose.h"
#include "../../operators/foreign/foreign.h"

/* ---- The request ---- */

static rh_status write_request(rh_text *to, const rh_trial *trial, rh_error *error) {
  rh_request_begin(to);
  rh_request_add_options(to, trial->options);
  rh_request_add(to, "path", trial->path);
  rh_request_add(to, "strategy", trial->strategy_name);
  rh_request_add(to, "own", trial->own);
  rh_request_add(to, "launch", trial->launch);
  rh_request_add(to, "test", trial->test ? trial->test->id : NULL);
  rh_request_add_number(to, "variant", trial->variant);
  rh_request_add_number(to, "quick", trial->quick);
  rh_request_add_number(to, "seed", trial->seed);
  return rh_request_end(to, error);
}

/* 0, or -1.  *trial and *options point into the request. */
static int read_request(const rh_child_request *request, rh_trial *trial, rh_options *options) {
  const char *test = rh_request_get(request, "test");
  *options = rh_request_options(request);
  *trial = (rh_trial){.options = options,
                      .path = rh_request_get(request, "path"),
                      .strategy_name = rh_request_get(request, "strategy"),
                      .own = rh_request_get(request, "own"),
                      .launch = rh_request_get(request, "launch")};
  for (int k = 0; test && k < RH_N_TESTS; k++)
    if (strcmp(rh_tests[k]->id, test) == 0) trial->test = rh_tests[k];
  if (!trial->path || (test && !trial->test) ||
      rh_request_number(request, "variant", &trial->variant) != 0 ||
      rh_request_number(request, "quick", &trial->quick) != 0)
    return -1;
  return rh_request_number(request, "seed", &trial->seed);
}

/* ---- The test ---- */

rh_status rh_trial_device(rh_trial *trial) {
  if (trial->device) return RH_OK;
  if (!rh_strategy_is_host(trial->strategy)) {
    rh_trial_phase(trial, "opening the device");
    if (rh_context_session(trial->context, &trial->session, &trial->error) != RH_OK)
      return rh_trial_skip(trial, "no device to run on: %s", trial->error.message);
  }
  trial->device = trial->session ? &trial->session->device->about : rh_host_device();
  return RH_OK;
}

rh_status rh_trial_copy(rh_trial *copy, rh_trial *trial, const rh_options *options) {
  *copy = *trial;
  copy->session = NULL;
  copy->device = NULL;
  copy->context = NULL;
  return rh_context_open(&copy->context, options, &rh_choosing, &trial->error);
}

static rh_status run_test(rh_trial *trial) {
  const rh_test *test = trial->test;
  int is_about_objects = strcmp(test->id, "V20") <= 0 && strcmp(test->id, "V12") != 0;
  /* the host itself makes the descriptor */
  if (is_about_objects && rh_is_foreign(trial->path))
    return rh_trial_skip(trial, "a description of a foreign function, not a shared object");
  if (rh_context_open(&trial->context, trial->options, &rh_choosing, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  trial->context->looks_first = 1;
  if (test->needs >= RH_NEEDS_PLUGIN) RH_TRY(rh_trial_load(trial));
  if (test->needs >= RH_NEEDS_DEVICE) RH_TRY(rh_trial_device(trial));
  return test->run(trial);
}

rh_outcome rh_trial_run(rh_trial *trial) {
  rh_status status = run_test(trial);
  rh_trial_phase(trial, "ending");
  rh_context_close(trial->context);
  trial->context = NULL;
  if (status == RH_OK) trial->error.message[0] = 0;
  if (status == RH_OK) return RH_PASS;
  if (status == RH_DECLINED) return RH_SKIP;
  return trial->warns ? RH_WARN : RH_FAIL;
}

const char *rh_outcome_name(rh_outcome outcome) {
#define RH_X(name, word) word,
  static const char *const words[] = {RH_VERDICT_LIST(RH_X)};
#undef RH_X
  return words[outcome];
}

void rh_trial_phase(rh_trial *trial, const char *phase) {
  if (trial->channel) rh_channel_say(trial->channel, json_pack("{s:s}", "phase", phase));
}

#define DEFINE_SAY(name, status, is_warning)                                                       \
  rh_status name(rh_trial *trial, const char *format, ...) {                                       \
    char text[sizeof trial->error.message];                                                        \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    vsnprintf(text, sizeof text, format, args);                                                    \
    va_end(args);                                                                                  \
    trial->warns = is_warning;                                                                     \
    return rh_fail(&trial->error, status, "%s", text);                                             \
  }
DEFINE_SAY(rh_trial_fail, RH_E_WRONG, 0)
DEFINE_SAY(rh_trial_warn, RH_E_WRONG, 1)
DEFINE_SAY(rh_trial_skip, RH_DECLINED, 0)

rh_status rh_trial_load(rh_trial *trial) {
  if (trial->strategy) return RH_OK;
  rh_trial_phase(trial, "loading");
  if (rh_plugin_open(trial->path, rh_foreign_open, &trial->plugin, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "cannot be loaded: %s", trial->error.message);
  for (uint32_t k = 0; k < trial->plugin->n_strategies; k++) {
    const rh_strategy *strategy = trial->plugin->strategies[k];
    if (!trial->strategy_name || strcmp(strategy->name, trial->strategy_name) == 0) {
      trial->strategy = strategy;
      return RH_OK;
    }
  }
  return rh_trial_skip(trial, "no longer has a strategy '%s'", trial->strategy_name);
}

#define RH_X(number) &rh_v##number,
const rh_test *const rh_tests[RH_N_TESTS] = {RH_TEST_LIST(RH_X)};
#undef RH_X

/* ---- The child ---- */

static int say_names(rh_trial *trial) {
  json_t *names = json_array();
  rh_status status = rh_trial_load(trial);
  for (uint32_t k = 0; status == RH_OK && k < trial->plugin->n_strategies; k++)
    json_array_append_new(names, json_string(trial->plugin->strategies[k]->name));
  return rh_channel_say(trial->channel, json_pack("{s:o}", "names", names));
}

long long rh_printed_so_far(void) {
  struct stat st;
  return fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? (long long)st.st_size : -1;
}

static int say_verdict(rh_trial *trial) {
  rh_outcome outcome = rh_trial_run(trial);
  return rh_channel_say(trial->channel,
                        json_pack("{s:i, s:I, s:I, s:o}", "verdict", (int)outcome, "digest",
                                  (json_int_t)trial->digest, "printed",
                                  (json_int_t)(trial->watches_end ? rh_printed_so_far() : -1),
                                  "text", rh_json_bytes(trial->error.message)));
}

int rh_trial_main(void) {
  static const struct rlimit most_output = {256 << 20, 256 << 20};
  rh_child_request request = {0};
  rh_options options;
  rh_trial trial;
  int code = 2;
  if (rh_request_receive(&request) == 0 && read_request(&request, &trial, &options) == 0 &&
      (trial.channel = rh_channel_open(request.parent)) >= 0) {
    /* Output goes to a file in memory, so a plugin that prints without end must be stopped before
     * it fills the memory.  SIGXFSZ has to kill it: the program ignores that signal (see main). */
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &most_output);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that daemons are seen among the children */
    code = (trial.test ? say_verdict(&trial) : say_names(&trial)) ? 3 : 0;
  }
  rh_request_finish(&request);
  return code;
}

/* ---- The parent ---- */

enum { MOST_BYTES = 16 << 20 };

void rh_attempt_finish(rh_attempt *attempt) {
  free(attempt->text);
  json_decref(attempt->names);
}

void rh_attempt_set(rh_attempt *attempt, rh_outcome outcome, const char *format, ...) {
  char *before = attempt->text; /* which may be an argument */
  va_list args;
  va_start(args, format);
  if (vasprintf(&attempt->text, format, args) < 0) attempt->text = NULL;
  va_end(args);
  free(before);
  attempt->outcome = outcome;
}

/* ---- The time of a child that excludes waiting for a busy machine ---- */

typedef struct stopwatch {
  pid_t pid;
  double looked, passed_s, busy_s; /* busy_s: processor time */
  double ran_s, waited_s;          /* of the threads that existed at the last look */
} stopwatch;

enum { NAME = 64, LEAST_MS = 50 };

/* Adds the shares of all threads of the process and of those that its main thread has started: how
 * long they ran, and waited for a processor.  A process that redhost starts works in a child of its
 * own (core/child). */
static void add_shares(pid_t pid, double *ran_s, double *waited_s) {
  char path[NAME];
  glob_t threads = {0};
  int child = (int)pid, flags = GLOB_NOSORT;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", child, child);
  FILE *children = fopen(path, "re");
  do {
    snprintf(path, sizeof path, "/proc/%d/task/*/schedstat", child);
    glob(path, flags, NULL, &threads);
    flags |= GLOB_APPEND;
  } while (children && fscanf(children, "%d", &child) == 1);
  if (children) fclose(children);
  for (size_t k = 0; k < threads.gl_pathc; k++) {
    unsigned long long ran, waited;
    FILE *file = fopen(threads.gl_pathv[k], "re");
    if (file && fscanf(file, "%llu %llu", &ran, &waited) == 2) {
      *ran_s += 1e-9 * (double)ran;
      *waited_s += 1e-9 * (double)waited;
    }
    if (file) fclose(file);
  }
  globfree(&threads);
}

/* At most twenty times a second: sets passed_s and busy_s. */
static void stopwatch_look(stopwatch *watch) {
  double now = rh_now(), passed = now - watch->looked, ran_s = 0, waited_s = 0;
  if (passed < 1e-3 * LEAST_MS) return;
  add_shares(watch->pid, &ran_s, &waited_s);
  /* The sums drop when a thread ends. */
  double ran = ran_s > watch->ran_s ? ran_s - watch->ran_s : 0;
  double waited = waited_s > watch->waited_s ? waited_s - watch->waited_s : 0;
  watch->passed_s += waited > 0 ? passed * ran / (ran + waited) : passed;
  watch->busy_s += ran;
  watch->looked = now;
  watch->ran_s = ran_s;
  watch->waited_s = waited_s;
}

/* ---- Listening ---- */

/* One child, and how long it may take. */
typedef struct listening {
  rh_attempt *attempt;
  const rh_time_limits *limits;
  rh_child child;
  stopwatch watch;
  double since, busy_since; /* the last line, by passed_s and busy_s */
  int has_verdict;
  json_int_t printed; /* bytes until then; -1: does not matter */
} listening;

/* Checks the time limits. */
static rh_fate look_after(void *user, rh_error *error) {
  listening *l = user;
  const rh_time_limits *limits = l->limits;
  rh_attempt *a = l->attempt;
  const char *where = *a->phase ? a->phase : "loading";
  (void)error;
  stopwatch_look(&l->watch);
  if (l->watch.passed_s >= limits->most_s)
    rh_attempt_set(a, RH_TIMEOUT, "did not finish in time, in %s", where);
  else if (l->watch.busy_s - l->busy_since >= limits->busy_s)
    rh_attempt_set(a, RH_TIMEOUT, "silent for %g s of processor time, in %s", limits->busy_s,
                   where);
  else if (l->watch.passed_s - l->since >= limits->silence_s)
    rh_attempt_set(a, RH_TIMEOUT, "silent for %g s, in %s", limits->silence_s, where);
  else return RH_GOES_ON;
  return RH_FATE_LATE;
}

static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  listening *l = user;
  rh_attempt *a = l->attempt;
  json_auto_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  const char *text, *phase;
  int outcome;
  json_int_t digest;
  if (json_unpack(frame, "{s:s!}", "phase", &phase) == 0) {
    snprintf(a->phase, sizeof a->phase, "%s", phase);
    stopwatch_look(&l->watch);
    l->since = l->watch.passed_s;
    l->busy_since = l->watch.busy_s;
    return look_after(l, error);
  }
  if (json_unpack(frame, "{s:O!}", "names", &a->names) == 0) return RH_FATE_HEARD;
  if (json_unpack(frame, "{s:i, s:I, s:I, s:s!}", "verdict", &outcome, "digest", &digest, "printed",
                  &l->printed, "text", &text) != 0 ||
      outcome < RH_PASS || outcome > RH_FAIL)
    return RH_FATE_GARBAGE;
  l->has_verdict = 1;
  a->digest = (uint64_t)digest;
  rh_attempt_set(a, (rh_outcome)outcome, "%s", text);
  return RH_FATE_HEARD;
}

/* ---- Judging how it ended ---- */

/* The end counts even after a verdict, because destructors run then. */
static void judge_after_verdict(rh_attempt *a, int status, double end_s) {
  char ending[128];
  if (status == -1 || !WIFSIGNALED(status)) return;
  rh_ending_name(status, "when the process ended", ending, sizeof ending);
  a->is_late_to_end = WTERMSIG(status) == SIGKILL;
  if (!a->is_late_to_end && !rh_outcome_is_bad(a->outcome))
    rh_attempt_set(a, RH_CRASH, "%s", ending);
  else if (a->is_late_to_end && end_s > RH_CHILD_DONE_S && !rh_outcome_is_bad(a->outcome))
    rh_attempt_set(a, RH_TIMEOUT, "the process did not end by itself within %g s", end_s);
  else if (a->outcome == RH_PASS && end_s == RH_CHILD_DONE_S)
    rh_attempt_set(a, RH_WARN, "passes, but the process did not end by itself within %g s", end_s);
}

/* If the verdict is missing, the plugin kept the child from giving one. */
static void judge_end(const listening *l, int output) {
  rh_attempt *a = l->attempt;
  struct stat st = {0};
  char where[80], ending[160];
  snprintf(where, sizeof where, "in %s", *a->phase ? a->phase : "loading");
  rh_ending_name(l->child.status, where, ending, sizeof ending);
  if (l->has_verdict) {
    fstat(output, &st);
    if (l->printed >= 0 && st.st_size > l->printed && !rh_outcome_is_bad(a->outcome))
      rh_attempt_set(a, RH_FAIL, "prints %lld bytes when the process ends",
                     (long long)st.st_size - l->printed);
    judge_after_verdict(a, l->child.status, l->limits->end_s);
  } else if (l->child.fate == RH_FATE_GARBAGE || l->child.fate == RH_FATE_FLOOD) {
    rh_attempt_set(a, RH_FAIL, "wrote to redhost's result channel %s", where);
  } else if (l->child.fate != RH_FATE_LATE) {
    rh_attempt_set(a, RH_CRASH, "%s", ending);
  }
}

/* The child's standard output and error go to a file that both processes can measure. */
rh_status rh_attempt_run(rh_attempt *attempt, const char *program, const rh_trial *trial,
                         const rh_time_limits *limits, rh_error *error) {
  listening l = {
      .attempt = attempt,
      .limits = limits,
      .child = {
          .take = take_line, .idle = look_after, .limit_s = INFINITY, .limit_bytes = MOST_BYTES}};
  RH_FINISHED(rh_text) request = {0};
  l.child.user = &l;
  *attempt = (rh_attempt){0};
  RH_TRY(write_request(&request, trial, error));
  int output = memfd_create("redhost-output", MFD_CLOEXEC);
  rh_child_spec spec = {.program = program,
                        .role = "--trial",
                        .request = request.s,
                        .bytes = request.length,
                        .data = -1,
                        .output = output};
  rh_status status = rh_child_start(&l.child, &spec, error);
  if (status == RH_OK) {
    l.watch = (stopwatch){.pid = l.child.pid, .looked = rh_now()};
    add_shares(l.child.pid, &l.watch.ran_s, &l.watch.waited_s);
    rh_child_listen(&l.child, NULL);
    stopwatch_look(&l.watch);
    double begin_s = rh_now();
    rh_child_end(&l.child, limits->end_s);
    attempt->spent_s = l.watch.passed_s + rh_now() - begin_s;
    judge_end(&l, output);
  }
  if (output >= 0) close(output);
  return status;
}
