#include "attempt.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/plug/ending.h"
#include "stopwatch.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 };
#define LOOK_S 0.25 /* between looks at a child that says nothing */

void rh_attempt_finish(rh_attempt *attempt) {
  free(attempt->text);
  json_decref(attempt->names);
}

void rh_attempt_say(rh_attempt *attempt, rh_outcome outcome, const char *format, ...) {
  va_list args;
  va_start(args, format);
  free(attempt->text);
  if (vasprintf(&attempt->text, format, args) < 0) attempt->text = NULL;
  va_end(args);
  attempt->outcome = outcome;
}

/* ---- Listening ---- */

/* 1: the last frame. */
static int take_frame(rh_attempt *a, json_t *frame) {
  const char *text, *phase;
  int outcome;
  json_int_t digest;
  json_t *names;
  if (json_unpack(frame, "{s:s!}", "phase", &phase) == 0) {
    snprintf(a->phase, sizeof a->phase, "%s", phase);
    return 0;
  }
  if (json_unpack(frame, "{s:O!}", "names", &names) == 0) {
    json_decref(a->names);
    a->names = names;
    return 1;
  }
  if (json_unpack(frame, "{s:i, s:I, s:I, s:s!}", "verdict", &outcome, "digest", &digest, "printed",
                  &a->printed, "text", &text) == 0 &&
      outcome >= RH_PASS && outcome <= RH_FAIL && !a->has_verdict) {
    a->has_verdict = 1;
    a->outcome = (rh_outcome)outcome;
    a->digest = (uint64_t)digest;
    a->text = strdup(text);
    return 1;
  }
  a->garbage = 1;
  return 1;
}

/* The next line, as rh_child_read(); RH_LINE_LATE: nothing came for too long. */
static rh_line next_line(rh_child *child, const rh_patience *patience, rh_stopwatch *watch,
                         rh_attempt *a, const char **line, size_t *length) {
  double since = rh_stopwatch_read(watch), busy_since = rh_busy_s(child->pid);
  for (double now = since;; now = rh_stopwatch_read(watch)) {
    a->is_over = now >= patience->most_s;
    a->is_busy = rh_busy_s(child->pid) - busy_since >= patience->busy_s;
    if (a->is_over || a->is_busy || now - since >= patience->silence_s) return RH_LINE_LATE;
    rh_line read = rh_child_read(child, rh_now() + LOOK_S, line, length);
    if (read != RH_LINE_LATE) return read;
  }
}

static void listen(rh_child *child, const rh_patience *patience, rh_stopwatch *watch,
                   rh_attempt *a) {
  const char *line;
  size_t length;
  int last = 0;
  child->most = MOST_BYTES;
  while (!last) {
    a->ended = next_line(child, patience, watch, a, &line, &length);
    if (a->ended != RH_LINE_READ) return;
    json_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(frame))
      last = take_frame(a, frame);
    else
      a->garbage = last = 1;
    json_decref(frame);
  }
}

static double time_to_end(const rh_attempt *a, const rh_patience *patience) {
  if (a->has_verdict || a->names) return patience->end_s;
  return a->ended == RH_LINE_END ? RH_CHILD_CLOSED_S : 0;
}

static void note_printed(rh_attempt *a, int output) {
  struct stat st;
  if (a->has_verdict && a->printed >= 0 && fstat(output, &st) == 0)
    a->printed_later = (json_int_t)st.st_size - a->printed;
}

/* The child's standard output and error go to a file that both can look at. */
rh_status rh_attempt_run(rh_attempt *attempt, const char *program, const rh_trial_order *order,
                         const rh_patience *patience, rh_error *error) {
  static const char *const argv[] = {"redhost", "--trial", NULL};
  rh_text request = {0};
  rh_child child;
  *attempt = (rh_attempt){0};
  RH_TRY(rh_trial_request(&request, order, error));
  int output = memfd_create("redhost-output", MFD_CLOEXEC);
  rh_child_spec spec = {.program = program,
                        .argv = argv,
                        .request = request.s,
                        .bytes = request.length,
                        .data = -1,
                        .output = output};
  rh_status status = rh_child_start(&child, &spec, error);
  rh_text_finish(&request);
  if (status == RH_OK) {
    rh_stopwatch watch;
    rh_stopwatch_start(&watch, child.pid);
    listen(&child, patience, &watch, attempt);
    attempt->spent_s = rh_stopwatch_read(&watch);
    double end = rh_now();
    attempt->status = rh_child_finish(&child, time_to_end(attempt, patience));
    attempt->spent_s += rh_now() - end;
    note_printed(attempt, output);
  }
  if (output >= 0) close(output);
  return status;
}

/* ---- Judging how it ended ---- */

/* With a verdict the end still counts: that is when destructors run. */
static void judge_after_verdict(rh_attempt *a, const rh_patience *patience) {
  char ending[128];
  if (a->printed_later > 0 && !rh_outcome_is_bad(a->outcome))
    rh_attempt_say(a, RH_FAIL, "prints %lld bytes when the process ends",
                   (long long)a->printed_later);
  if (a->status == -1 || !WIFSIGNALED(a->status)) return;
  rh_ending_name(a->status, "when the process ended", ending, sizeof ending);
  a->is_late_to_end = WTERMSIG(a->status) == SIGKILL;
  if (!a->is_late_to_end && !rh_outcome_is_bad(a->outcome))
    rh_attempt_say(a, RH_CRASH, "%s", ending);
  else if (a->is_late_to_end && patience->end_s > RH_CHILD_DONE_S && !rh_outcome_is_bad(a->outcome))
    rh_attempt_say(a, RH_TIMEOUT, "the process did not end by itself within %g s", patience->end_s);
  else if (a->outcome == RH_PASS && patience->end_s == RH_CHILD_DONE_S)
    rh_attempt_say(a, RH_WARN, "passes, but the process did not end by itself within %g s",
                   patience->end_s);
}

/* Without a verdict it was the plugin that kept the child from giving one. */
void rh_attempt_judge(rh_attempt *attempt, const rh_patience *patience) {
  char where[80], ending[160];
  snprintf(where, sizeof where, "in %s", attempt->phase[0] ? attempt->phase : "loading");
  rh_ending_name(attempt->status, where, ending, sizeof ending);
  if (attempt->has_verdict)
    judge_after_verdict(attempt, patience);
  else if (attempt->ended == RH_LINE_LATE && attempt->is_over)
    rh_attempt_say(attempt, RH_TIMEOUT, "did not come to its end in time, %s", where);
  else if (attempt->ended == RH_LINE_LATE)
    rh_attempt_say(attempt, RH_TIMEOUT, "no sign of life for %g s%s, %s",
                   attempt->is_busy ? patience->busy_s : patience->silence_s,
                   attempt->is_busy ? " of processor time" : "", where);
  else if (attempt->garbage || attempt->ended == RH_LINE_FLOOD)
    rh_attempt_say(attempt, RH_FAIL, "disturbed the answer %s", where);
  else
    rh_attempt_say(attempt, RH_CRASH, "%s", ending);
}
