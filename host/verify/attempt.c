#include "attempt.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../plug/ending.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 };

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

/* Seconds of the processors that a process has used. */
static double busy_of(pid_t pid) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* The work is done by a child of the child's (guard.h).  0 where the system does not tell. */
static double busy_s(const rh_child *child) {
  char path[64];
  double total = 0;
  int pid;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)child->pid, (int)child->pid);
  FILE *children = fopen(path, "re");
  while (children && fscanf(children, "%d", &pid) == 1) total += busy_of(pid);
  if (children) fclose(children);
  return total;
}

/* The next line, as rh_child_read(); RH_LINE_LATE: nothing came for too long. */
static rh_line next_line(rh_child *child, const rh_patience *patience, rh_attempt *a,
                         const char **line, size_t *length) {
  double since = rh_now(), busy_since = busy_s(child), now = since;
  for (;;) {
    double slice = now + 0.25 < patience->until ? now + 0.25 : patience->until;
    rh_line read = rh_child_read(child, slice, line, length);
    if (read != RH_LINE_LATE) return read;
    now = rh_now();
    a->is_over = now >= patience->until;
    if (a->is_over || now - since >= patience->silence_s ||
        busy_s(child) - busy_since >= patience->busy_s)
      return RH_LINE_LATE;
  }
}

static void listen(rh_child *child, const rh_patience *patience, rh_attempt *a) {
  const char *line;
  size_t length;
  int last = 0;
  child->most = MOST_BYTES;
  while (!last) {
    a->ended = next_line(child, patience, a, &line, &length);
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
    listen(&child, patience, attempt);
    attempt->status = rh_child_finish(&child, time_to_end(attempt, patience));
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
    rh_attempt_say(attempt, RH_TIMEOUT, "no sign of life for %g s, or %g s of the processor, %s",
                   patience->silence_s, patience->busy_s, where);
  else if (attempt->garbage || attempt->ended == RH_LINE_FLOOD)
    rh_attempt_say(attempt, RH_FAIL, "disturbed the answer %s", where);
  else
    rh_attempt_say(attempt, RH_CRASH, "%s", ending);
}
