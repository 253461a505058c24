/* The parent: one child for each test, and never the plugin itself. */
#include "../base/clock.h"
#include "../base/error.h"
#include "../plug/ending.h"
#include "../plug/spawn.h"
#include "child.h"
#include "target.h"

#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 };
static const double patience_after_hang_s = 5;

typedef struct runner {
  const rh_options *options;
  const rh_verify_spec *spec;
  rh_verify_report *report;
  char *program;
  char **names; /* of the strategies; empty where they are not known */
  uint32_t n_names;
  int cannot_load;   /* the process that asked for the names was lost */
  double patience_s; /* for one test at most: less once the plugin has hung */
  double left_s;     /* by the forecast */
  uint32_t done, total;
} runner;

/* What one child said, and how it ended. */
typedef struct said {
  int has_verdict;
  rh_outcome outcome;
  char *text;
  json_t *names;
  char phase[64];
  rh_line ended; /* why nothing more was read */
  int status;    /* as of waitpid */
  int garbage;
} said;

static void finish_said(said *s) {
  free(s->text);
  json_decref(s->names);
}

/* ---- Listening ---- */

/* 1: the last frame. */
static int take_frame(said *s, json_t *frame) {
  const char *text, *phase;
  int outcome;
  json_t *names;
  if (json_unpack(frame, "{s:s!}", "phase", &phase) == 0) {
    snprintf(s->phase, sizeof s->phase, "%s", phase);
    return 0;
  }
  if (json_unpack(frame, "{s:O!}", "names", &names) == 0) {
    json_decref(s->names);
    s->names = names;
    return 1;
  }
  if (json_unpack(frame, "{s:i, s:s!}", "verdict", &outcome, "text", &text) == 0 &&
      outcome >= RH_PASS && outcome <= RH_FAIL && !s->has_verdict) {
    s->has_verdict = 1;
    s->outcome = (rh_outcome)outcome;
    s->text = strdup(text);
    return 1;
  }
  s->garbage = 1;
  return 1;
}

static void listen(rh_child *child, double limit_s, said *s) {
  const char *line;
  size_t length;
  int last = 0;
  child->most = MOST_BYTES;
  while (!last) {
    s->ended = rh_child_read(child, rh_now() + limit_s, &line, &length);
    if (s->ended != RH_LINE_READ) return;
    json_t *frame = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(frame))
      last = take_frame(s, frame);
    else
      s->garbage = last = 1;
    json_decref(frame);
  }
}

static double limit_of(const runner *r, const rh_test *test) {
  double limit_s = test ? test->limit_s : 10;
  return limit_s < r->patience_s ? limit_s : r->patience_s;
}

static double time_to_end(const said *s) {
  if (s->has_verdict || s->names) return RH_CHILD_DONE_S;
  return s->ended == RH_LINE_END ? RH_CHILD_CLOSED_S : 0;
}

/* The child's standard output and error go to a file that both can look at. */
static rh_status run_child(const runner *r, const rh_trial_order *order, said *s, rh_error *error) {
  static const char *const argv[] = {"redhost", "--trial", NULL};
  rh_text request = {0};
  rh_child child;
  *s = (said){0};
  RH_TRY(rh_trial_request(&request, order, error));
  int output = memfd_create("redhost-output", MFD_CLOEXEC);
  rh_child_spec spec = {.program = r->program,
                        .argv = argv,
                        .request = request.s,
                        .bytes = request.length,
                        .data = -1,
                        .output = output};
  rh_status status = rh_child_start(&child, &spec, error);
  rh_text_finish(&request);
  if (status == RH_OK) {
    listen(&child, limit_of(r, order->test), s);
    s->status = rh_child_finish(&child, time_to_end(s));
  }
  if (output >= 0) close(output);
  return status;
}

/* ---- Judging how it ended ---- */

__attribute__((format(printf, 3, 4))) static void set(said *s, rh_outcome outcome,
                                                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  free(s->text);
  if (vasprintf(&s->text, format, args) < 0) s->text = NULL;
  va_end(args);
  s->outcome = outcome;
}

/* With a verdict the end still counts: that is when destructors run. */
static void judge_after_verdict(said *s) {
  char ending[128];
  if (s->status == -1 || !WIFSIGNALED(s->status)) return;
  rh_ending_name(s->status, "when the process ended", ending, sizeof ending);
  if (WTERMSIG(s->status) != SIGKILL && !rh_outcome_is_bad(s->outcome))
    set(s, RH_CRASH, "%s", ending);
  else if (s->outcome == RH_PASS)
    set(s, RH_WARN, "passes, but the process did not end by itself within %g s", RH_CHILD_DONE_S);
}

/* Without a verdict it was the plugin that kept the child from giving one. */
static void judge_end(said *s, double limit_s) {
  char where[80], ending[160];
  snprintf(where, sizeof where, "in %s", s->phase[0] ? s->phase : "loading");
  rh_ending_name(s->status, where, ending, sizeof ending);
  if (s->has_verdict)
    judge_after_verdict(s);
  else if (s->ended == RH_LINE_LATE)
    set(s, RH_TIMEOUT, "no sign of life for %g s %s", limit_s, where);
  else if (s->garbage || s->ended == RH_LINE_FLOOD)
    set(s, RH_FAIL, "disturbed the answer %s", where);
  else
    set(s, RH_CRASH, "%s", ending);
}

/* ---- One test ---- */

static rh_status run_here(const runner *r, const rh_trial_order *order, said *s) {
  rh_trial trial = {.path = order->path,
                    .strategy_name = order->strategy,
                    .seed = order->seed,
                    .quick = order->quick,
                    .variant = order->variant,
                    .random_s = order->random_s};
  *s = (said){.has_verdict = 1};
  s->outcome = rh_trial_run(&trial, r->options, order->test);
  s->text = strdup(rh_text_get(&trial.text));
  rh_text_finish(&trial.text);
  return RH_OK;
}

/* Others' interpreters know less than a device does. */
static void excuse(said *s) {
  rh_text text = {0};
  if (s->outcome != RH_CRASH && s->outcome != RH_TIMEOUT) return;
  rh_text_add(&text, "the interpreter does not get through: %s", s->text ? s->text : "");
  set(s, RH_SKIP, "%s", rh_text_get(&text));
  rh_text_finish(&text);
}

static rh_status run_variant(const runner *r, const rh_trial_order *order, said *s,
                             rh_error *error) {
  if (r->spec->in_process) return run_here(r, order, s);
  RH_TRY(run_child(r, order, s, error));
  judge_end(s, limit_of(r, order->test));
  if (order->test && order->test->needs == RH_NEEDS_INTERPRETER) excuse(s);
  return RH_OK;
}

/* One test in vain is enough for a plugin that takes down whoever loads it. */
static int is_in_vain(const runner *r, const rh_test *test) {
  return r->cannot_load && (test->needs != RH_NEEDS_NOTHING || strcmp(test->id, "V10") > 0);
}

static void skip_in_vain(said *s) {
  *s = (said){.has_verdict = 1, .outcome = RH_SKIP};
  s->text = strdup("not tried: whoever loads the plugin is lost, see V10");
}

/* The worst of its processes. */
static rh_status run_test(const runner *r, const rh_test *test, const char *strategy, said *worst,
                          rh_error *error) {
  rh_trial_order order = {.options = r->options,
                          .path = r->report->path,
                          .strategy = strategy,
                          .test = test,
                          .quick = r->spec->quick,
                          .seed = r->spec->seed,
                          .random_s = r->spec->random_s > 0 ? r->spec->random_s
                                      : r->spec->quick      ? 1
                                                            : 30};
  *worst = (said){0};
  for (uint32_t k = 0; k < test->variants; k++) {
    said s;
    order.variant = k;
    RH_TRY(run_variant(r, &order, &s, error));
    if (k == 0 || s.outcome > worst->outcome) {
      finish_said(worst);
      *worst = s;
    } else {
      finish_said(&s);
    }
  }
  return RH_OK;
}

/* For a shell. */
static void add_word(rh_text *text, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:,=";
  if (*word && strspn(word, plain) == strlen(word)) {
    rh_text_add(text, " %s", word);
    return;
  }
  rh_text_add(text, " '");
  for (; *word; word++) *word == '\'' ? rh_text_add(text, "'\\''") : rh_text_append(text, word, 1);
  rh_text_add(text, "'");
}

/* Not redhost --run: that has no poison around its input, and no faults on demand. */
static char *reproduce(const runner *r, const rh_test *test) {
  rh_text text = {0};
  rh_text_add(&text, "redhost --verify");
  add_word(&text, r->report->path);
  rh_text_add(&text, " --include %s", test->id);
  if (r->spec->seed != 1) rh_text_add(&text, " --seed %llu", (unsigned long long)r->spec->seed);
  if (r->spec->quick) rh_text_add(&text, " --quick");
  if (r->options->device) {
    rh_text_add(&text, " --device");
    add_word(&text, r->options->device);
  }
  return text.s;
}

static rh_status record(runner *r, const rh_test *test, const char *strategy, double seconds,
                        said *s, rh_error *error) {
  rh_verify_report *report = r->report;
  rh_verified *grown = realloc(report->results, (report->n + 1u) * sizeof *grown);
  if (!grown) return rh_fail(error, RH_E_NOMEM, "no memory for the results");
  report->results = grown;
  rh_verified *verified = &grown[report->n++];
  *verified = (rh_verified){.test = test->id,
                            .title = test->title,
                            .strategy = rh_copy_string(strategy),
                            .outcome = s->outcome,
                            .text = s->text,
                            .again = reproduce(r, test),
                            .seconds = seconds};
  s->text = NULL;
  report->counts[s->outcome]++;
  if (r->spec->end) r->spec->end(r->spec->user, verified);
  return RH_OK;
}

static rh_status try_one(runner *r, const rh_test *test, const char *strategy, rh_error *error) {
  said s;
  double start = rh_now();
  if (r->spec->begin)
    r->spec->begin(r->spec->user, test->id, strategy, r->done, r->total, r->left_s);
  rh_status status = RH_OK;
  if (is_in_vain(r, test))
    skip_in_vain(&s);
  else
    status = run_test(r, test, strategy, &s, error);
  if (status == RH_OK && s.outcome == RH_TIMEOUT) r->patience_s = patience_after_hang_s;
  if (status == RH_OK) status = record(r, test, strategy, rh_now() - start, &s, error);
  finish_said(&s);
  r->left_s -= r->spec->quick ? test->usual_quick_s : test->usual_s;
  r->done++;
  return status;
}

/* ---- All of them ---- */

/* In a child: even a plugin's names come from its own code's data.  A file that cannot be loaded has none, and its tests
 * say why. */
static rh_status ask_names(runner *r, rh_error *error) {
  rh_trial_order order = {.options = r->options, .path = r->report->path};
  said s;
  if (r->spec->strategy) {
    r->names = calloc(1, sizeof *r->names);
    if (!r->names || !(r->names[0] = strdup(r->spec->strategy)))
      return rh_fail(error, RH_E_NOMEM, "no memory for a name");
    r->n_names = 1;
    return RH_OK;
  }
  RH_TRY(run_child(r, &order, &s, error));
  r->cannot_load = s.names == NULL;
  size_t n = s.names ? json_array_size(s.names) : 0;
  r->names = calloc(n + 1, sizeof *r->names);
  for (size_t k = 0; r->names && k < n; k++) {
    const char *name = json_string_value(json_array_get(s.names, k));
    if (name && (r->names[r->n_names] = strdup(name))) r->n_names++;
  }
  finish_said(&s);
  return r->names ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for names");
}

static rh_status nothing_chosen(const runner *r, rh_error *error) {
  return rh_fail(error, RH_E_USAGE, "no test is left of --include '%s' and --exclude '%s'",
                 r->spec->include ? r->spec->include : "",
                 r->spec->exclude ? r->spec->exclude : "");
}

static rh_status run_all(runner *r, rh_error *error) {
  uint32_t n;
  const rh_test *tests = rh_tests(&n);
  for (int counting = 1; counting >= 0; counting--) {
    for (uint32_t k = 0; k < n; k++) {
      if (!rh_test_is_chosen(&tests[k], r->spec->include, r->spec->exclude)) continue;
      uint32_t times = tests[k].of_strategy && r->n_names ? r->n_names : 1;
      for (uint32_t j = 0; j < times; j++) {
        const char *strategy = tests[k].of_strategy && r->n_names ? r->names[j] : NULL;
        if (!counting) {
          RH_TRY(try_one(r, &tests[k], strategy, error));
          continue;
        }
        r->total++;
        r->left_s += r->spec->quick ? tests[k].usual_quick_s : tests[k].usual_s;
      }
    }
    if (r->total == 0) return nothing_chosen(r, error);
  }
  return RH_OK;
}

rh_status rh_verify(rh_verify_report *report, const rh_options *options, const rh_verify_spec *spec,
                    rh_error *error) {
  runner r = {.options = options, .spec = spec, .report = report, .patience_s = 1e9};
  double start = rh_now();
  *report = (rh_verify_report){0};
  RH_TRY(rh_tests_check_lists(spec->include, spec->exclude, error));
  RH_TRY(rh_verify_target(spec->file, &report->path, error));
  rh_status status = rh_child_program(options, &r.program, error);
  if (status == RH_OK) status = ask_names(&r, error);
  if (status == RH_OK) status = run_all(&r, error);
  for (uint32_t k = 0; k < r.n_names; k++) free(r.names[k]);
  free(r.names);
  free(r.program);
  report->seconds = rh_now() - start;
  if (status != RH_OK) rh_verify_report_finish(report);
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
