/* V22 and V59: query is a pure function of the question. */
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/fpstate.h"
#include "../../core/base/random.h"
#include "../../core/plug/plugin.h"
#include "../../core/run/instance.h"
#include "ask.h"
#include "imports.h"
#include "problems.h"
#include "sandbox.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* ---- V22 ---- */

static rh_outcome twice(rh_trial *trial, const rh_question *question, void *user) {
  rh_answer first, second;
  char what[RH_QUESTION_NAME];
  (void)user;
  rh_status a = rh_ask(trial->strategy, question, &first);
  rh_status b = rh_ask(trial->strategy, question, &second);
  if (rh_same_answer(a, &first, b, &second)) return RH_PASS;
  return rh_trial_fail(trial, "%s: two different answers to the same question",
                       rh_question_name(question, what));
}

static rh_outcome take_accepted(rh_trial *trial, const rh_question *question, void *user) {
  rh_answer answer;
  rh_question *found = user;
  *found = *question; /* the last one, where all are declined */
  return rh_ask(trial->strategy, question, &answer) == RH_OK ? RH_WARN : RH_PASS;
}

/* More often than a 16-bit counter counts; without --quick, a 20-bit one. */
enum { OFTEN = (1 << 17) + 1, OFTEN_AT_LENGTH = (1 << 20) + 1, A_WHILE = 1 << 13, MOST_S = 15 };

static rh_outcome often(rh_trial *trial) {
  rh_question question = {0};
  rh_answer first, answer;
  char what[RH_QUESTION_NAME];
  uint64_t times = trial->quick ? OFTEN : OFTEN_AT_LENGTH;
  double until = rh_now() + MOST_S;
  rh_ask_all(trial, take_accepted, &question);
  if (question.op == 0) return RH_PASS; /* the host declines every question itself */
  rh_status said = rh_ask(trial->strategy, &question, &first);
  for (uint64_t k = 0; k < times; k++) {
    if (k % A_WHILE == 0) rh_trial_phase(trial, "query");
    if (k % A_WHILE == 0 && k >= OFTEN && rh_now() > until) return RH_PASS;
    rh_status again = rh_ask(trial->strategy, &question, &answer);
    if (!rh_same_answer(said, &first, again, &answer))
      return rh_trial_fail(trial, "%s: the answer changed within %llu identical questions",
                           rh_question_name(&question, what), (unsigned long long)k + 2);
  }
  return RH_PASS;
}

rh_outcome rh_v22_pure(rh_trial *trial) {
  int watched = rh_imports_watch(trial->path);
  rh_fpstate before = rh_fpstate_save();
  rh_outcome outcome = rh_ask_all(trial, twice, NULL);
  if (outcome == RH_PASS) outcome = often(trial);
  int changed = rh_fpstate_restore(&before);
  rh_imports_seen seen = rh_imports_take();
  if (outcome != RH_PASS) return outcome;
  if (changed) return rh_trial_fail(trial, "changes the floating-point control word");
  if (seen.opencl) return rh_trial_fail(trial, "calls %s", seen.last);
  if (seen.memory) return rh_trial_fail(trial, "allocates memory: %s", seen.last);
  return watched ? RH_PASS
                 : rh_trial_skip(trial, "pure; what it calls cannot be watched on this machine");
}

/* ---- V59: the questions and their first answers ---- */

typedef struct asked {
  rh_trial *trial;
  rh_question *questions;
  uint64_t *answers; /* hashes */
  uint32_t n, capacity;
  uint32_t at;     /* the current question */
  int differs;     /* its answer has changed */
  void *elsewhere; /* null, or memory for the structs */
} asked;

static int add_question(asked *a, const rh_question *question) {
  if (a->n == a->capacity) {
    uint32_t capacity = a->capacity ? 2 * a->capacity : 1024;
    rh_question *grown = realloc(a->questions, capacity * sizeof *grown);
    if (!grown) return 0;
    a->questions = grown;
    uint64_t *answers = realloc(a->answers, capacity * sizeof *answers);
    if (!answers) return 0;
    a->answers = answers;
    a->capacity = capacity;
  }
  a->questions[a->n++] = *question;
  return 1;
}

/* Each with the default parameters, and some with one parameter at its bound. */
static rh_outcome collect(rh_trial *trial, const rh_question *question, void *user) {
  asked *a = user;
  const rh_strategy *strategy = trial->strategy;
  int kept = add_question(a, question);
  if (question->op == RH_OP_sum && question->type == RH_TYPE_f32)
    for (uint32_t k = 0; k < strategy->n_params && kept; k++)
      for (int j = 0; j < 2 && kept; j++) {
        const rh_param *param = rh_strategy_param(strategy, k);
        rh_question other = *question;
        other.params[k] = j ? param->max : param->min;
        kept = add_question(a, &other);
      }
  return kept ? RH_PASS : rh_trial_skip(trial, "no memory for the questions");
}

static uint64_t answer_to(const asked *a, uint32_t k) {
  rh_answer answer;
  const rh_question *question = &a->questions[k];
  const rh_strategy *strategy = a->trial->strategy;
  rh_status said = a->elsewhere ? rh_ask_elsewhere(strategy, question, a->elsewhere, &answer)
                                : rh_ask(strategy, question, &answer);
  return rh_answer_hash(said, &answer);
}

/* Asks everything again in an order derived from the seed: the step is coprime to n. */
static void ask_again(asked *a, uint64_t seed) {
  uint64_t step = a->n > 1 ? rh_random_next(&seed) % a->n : 1;
  while (a->n > 1) {
    uint64_t x = a->n, y = step;
    while (y) {
      uint64_t rest = x % y;
      x = y;
      y = rest;
    }
    if (x == 1) break;
    step = step % a->n + 1;
  }
  a->differs = 0;
  for (uint32_t k = 0; k < a->n && !a->differs; k++) {
    a->at = (uint32_t)((a->at + step) % a->n);
    a->differs = answer_to(a, a->at) != a->answers[a->at];
  }
}

static rh_outcome judge_again(asked *a, const char *when) {
  char what[RH_QUESTION_NAME];
  rh_trial_phase(a->trial, "query");
  ask_again(a, a->trial->seed);
  if (!a->differs) return RH_PASS;
  return rh_trial_fail(a->trial, "%s: another answer when asked again %s",
                       rh_question_name(&a->questions[a->at], what), when);
}

/* ---- Under other conditions ---- */

static rh_outcome elsewhere(asked *a) {
  rh_outcome outcome = RH_PASS;
  unsigned char *room = malloc(2 * RH_ASK_ROOM);
  for (size_t k = 0; room && k < 4 && outcome == RH_PASS; k++) {
    a->elsewhere = room + 16 * (k * k * k);
    outcome = judge_again(a, "with its structs at other addresses");
  }
  a->elsewhere = NULL;
  free(room);
  return outcome;
}

static void ask_all_sandboxed(void *user) {
  asked *a = user;
  ask_again(a, a->trial->seed + 1);
}

static rh_outcome in_sandbox(asked *a, int *watches) {
  rh_sandbox sandbox;
  char what[RH_QUESTION_NAME];
  rh_trial_phase(a->trial, "query");
  rh_sandbox_run(a->trial->path, ask_all_sandboxed, a, &sandbox);
  *watches = sandbox.started && sandbox.watches;
  if (!sandbox.started || (!sandbox.violation[0] && !a->differs)) return RH_PASS;
  rh_question_name(&a->questions[a->at], what);
  if (sandbox.violation[0]) return rh_trial_fail(a->trial, "%s: query %s", what, sandbox.violation);
  return rh_trial_fail(a->trial, "%s: another answer when asked again on another thread", what);
}

/* A plugin could have timed itself by then. */
static rh_outcome after_a_run(asked *a) {
  rh_cl_session *session;
  rh_trial *trial = a->trial;
  rh_text text = trial->text;
  rh_rig rig;
  if (!rh_strategy_is_host(trial->strategy) &&
      rh_context_session(trial->context, &session, &trial->error) != RH_OK)
    return RH_PASS;
  rh_outcome lived = rh_rig_ordinary(&rig, trial, 1003, RH_RIG_PLAIN);
  for (int k = 0; k < 3 && lived == RH_PASS; k++)
    lived = rh_rig_outcome(trial, &rig, rh_rig_case(&rig, "hash", trial->seed, 1003, 0));
  rh_rig_finish(&rig);
  if (lived != RH_PASS) { /* other tests report that */
    rh_text_finish(&trial->text);
    trial->text = text;
    text = (rh_text){0};
  }
  return judge_again(a, "after a run");
}

/* Sets an environment variable for every word of the plugin's file that could name one. */
static void set_words(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  const char *file = MAP_FAILED;
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
    file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0) close(fd);
  if (file == MAP_FAILED) return;
  size_t bytes = (size_t)st.st_size;
  for (size_t at = 0, length; at < bytes; at += length + 1) {
    length = strnlen(file + at, bytes - at);
    size_t plain = 0;
    while (plain < length && (isupper((unsigned char)file[at + plain]) || file[at + plain] == '_' ||
                              (plain && isdigit((unsigned char)file[at + plain]))))
      plain++;
    if (length >= 3 && length < 64 && plain == length && at + length < bytes &&
        strncmp(file + at, "LD_", 3) != 0)
      setenv(file + at, "7", 1);
  }
  munmap((void *)(uintptr_t)file, bytes);
}

static void change_surroundings(const char *path) {
  static const char *const usual[] = {"HOME", "USER", "LOGNAME", "SHELL",   "TERM",
                                      "LANG", "PWD",  "TZ",      "COLUMNS", "PATH"};
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) setenv(usual[k], "7", 1);
  set_words(path);
  if (chdir("/") != 0) umask(0077);
}

/* A second later on every clock, then with other environment variables and in another directory. */
static rh_outcome ask_again_later(asked *a, double began) {
  char **before = environ, *changed[] = {"REDHOST_VERIFY=7", NULL};
  while (rh_now() < began + 1.05) usleep(20000);
  rh_outcome outcome = judge_again(a, "a second later");
  environ = changed;
  if (outcome == RH_PASS) outcome = judge_again(a, "in another environment");
  environ = before;
  if (!a->trial->alone) return outcome;
  change_surroundings(a->trial->path);
  return outcome == RH_PASS ? judge_again(a, "in other surroundings") : outcome;
}

static rh_outcome try_circumstances(asked *a, double began, int *watches) {
  rh_outcome outcome = judge_again(a, "in another order");
  if (outcome == RH_PASS) outcome = elsewhere(a);
  if (outcome == RH_PASS) outcome = in_sandbox(a, watches);
  if (outcome == RH_PASS) outcome = after_a_run(a);
  return outcome == RH_PASS ? ask_again_later(a, began) : outcome;
}

/* Runs in two processes with different addresses, process ids and environments; the parent
 * compares their answers. */
rh_outcome rh_v59_depends_only_on_question(rh_trial *trial) {
  int watches = 0;
  asked a = {.trial = trial};
  double began = rh_now();
  if (trial->variant == 1 && trial->alone) change_surroundings(trial->path);
  rh_outcome outcome = rh_trial_load(trial);
  if (outcome == RH_PASS) outcome = rh_ask_all(trial, collect, &a);
  for (uint32_t k = 0; k < a.n && outcome == RH_PASS; k++) {
    a.answers[k] = answer_to(&a, k);
    trial->digest = rh_random_mix(trial->digest ^ a.answers[k]);
  }
  if (outcome == RH_PASS && a.n && trial->variant == 0)
    outcome = try_circumstances(&a, began, &watches);
  free(a.questions);
  free(a.answers);
  if (outcome == RH_PASS && trial->variant == 0 && a.n && !watches)
    return rh_trial_skip(trial, "pure; system calls cannot be watched on this machine");
  return outcome;
}
