#include "internal.h"

#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

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

/* Adds the shares of all threads of a process: how long they ran, and waited for a processor. */
static void add_shares(pid_t pid, double *ran_s, double *waited_s) {
  char pattern[NAME];
  glob_t threads = {0};
  snprintf(pattern, sizeof pattern, "/proc/%d/task/*/schedstat", (int)pid);
  glob(pattern, GLOB_NOSORT, NULL, &threads);
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

/* Adds the process and those that its main thread has started: a process that redhost starts works
 * in a child of its own (core/child). */
static void add_all_shares(pid_t pid, double *ran_s, double *waited_s) {
  char path[NAME];
  int child;
  add_shares(pid, ran_s, waited_s);
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *children = fopen(path, "re");
  while (children && fscanf(children, "%d", &child) == 1) add_shares(child, ran_s, waited_s);
  if (children) fclose(children);
}

static void stopwatch_start(stopwatch *watch, pid_t pid) {
  *watch = (stopwatch){.pid = pid, .looked = rh_now()};
  add_all_shares(pid, &watch->ran_s, &watch->waited_s);
}

/* At most twenty times a second: sets passed_s and busy_s. */
static void stopwatch_look(stopwatch *watch) {
  double now = rh_now(), passed = now - watch->looked, ran_s = 0, waited_s = 0;
  if (passed < 1e-3 * LEAST_MS) return;
  add_all_shares(watch->pid, &ran_s, &waited_s);
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

static rh_fate take_frame(listening *l, json_t *frame) {
  rh_attempt *a = l->attempt;
  const char *text, *phase;
  int outcome;
  json_int_t digest;
  if (json_unpack(frame, "{s:s!}", "phase", &phase) == 0) {
    snprintf(a->phase, sizeof a->phase, "%s", phase);
    return RH_GOES_ON;
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
  json_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  rh_fate fate = json_is_object(frame) ? take_frame(l, frame) : RH_FATE_GARBAGE;
  json_decref(frame);
  stopwatch_look(&l->watch);
  l->since = l->watch.passed_s;
  l->busy_since = l->watch.busy_s;
  return fate == RH_GOES_ON ? look_after(l, error) : fate;
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

static void listen_to(listening *l) {
  stopwatch_start(&l->watch, l->child.pid);
  rh_child_listen(&l->child, NULL);
  stopwatch_look(&l->watch);
  double begin_s = rh_now();
  rh_child_end(&l->child, l->limits->end_s);
  l->attempt->spent_s = l->watch.passed_s + rh_now() - begin_s;
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
  RH_TRY(rh_trial_request(&request, trial, error));
  int output = memfd_create("redhost-output", MFD_CLOEXEC);
  rh_child_spec spec = {.program = program,
                        .role = "--trial",
                        .request = request.s,
                        .bytes = request.length,
                        .data = -1,
                        .output = output};
  rh_status status = rh_child_start(&l.child, &spec, error);
  if (status == RH_OK) {
    listen_to(&l);
    judge_end(&l, output);
  }
  if (output >= 0) close(output);
  return status;
}
