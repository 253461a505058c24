/* V70 to V83: a transport, in one process, and in jobs of ranks, which the user's launcher starts.
 * Those are watched by what the ranks report, and ended without leaving anything behind. */
#include "internal.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* RH_SKIP where V70 fails. */
static rh_status load(rh_trial *trial, const rh_transport **transport) {
  rh_trial_phase(trial, "loading");
  if (rh_transport_open(trial->path, transport, &trial->error) == RH_OK) return RH_OK;
  return rh_trial_skip(trial, "cannot be loaded: %s", trial->error.message);
}

/* ---- V70 ---- */

RH_TEST(70, "transport: descriptor", RH_TRANSPORT_TEST) {
  enum { MOST_DESCRIPTION = 127 };
  static const char *const names[] = {"probe", "open", "gather", "abort", "close"};
  const void *functions[5];
  const rh_transport *t;
  rh_trial_phase(trial, "loading");
  RH_TRY(rh_transport_open(trial->path, &t, &trial->error));
  size_t length = strlen(t->description);
  if (length == 0 || length > MOST_DESCRIPTION)
    return rh_trial_fail(trial, "its description has %zu bytes; 1 to %d are expected", length,
                         MOST_DESCRIPTION);
  if (!rh_is_plain_utf8(t->description, length))
    return rh_trial_fail(trial, "its description has control characters or invalid UTF-8");
  if (t->reserved != 0)
    return rh_trial_fail(trial, "its field `reserved' is %u; it must be 0", t->reserved);
  /* a library that the file needs may have functions of the same names */
  memcpy(functions, (const char *)t + offsetof(rh_transport, probe), sizeof functions);
  for (int k = 0; k < 5; k++)
    if (!rh_dl_is_from(functions[k], trial->path))
      return rh_trial_fail(trial, "its function %s is in another file", names[k]);
  return RH_OK;
}

RH_TEST(71, "transport: probe gives an answer and a sentence", RH_TRANSPORT_TEST) {
  enum { TIMES = 20 };
  const rh_transport *t;
  char first[RH_SENTENCE_BYTES] = "";
  int32_t answer = 0;
  RH_TRY(load(trial, &t));
  rh_trial_phase(trial, "probe");
  for (int k = 0; k < TIMES; k++) {
    char *text = rh_sentence_room();
    int32_t again = t->probe(text, RH_SENTENCE_BYTES);
    const char *fault = rh_sentence_fault(text);
    if (again < RH_TRANSPORT_CANNOT || again > RH_TRANSPORT_STARTED)
      return rh_trial_fail(trial, "probe returns %d; it must be %d to %d", again,
                           RH_TRANSPORT_CANNOT, RH_TRANSPORT_STARTED);
    if (fault) return rh_trial_fail(trial, "probe %s", fault);
    if (k && (again != answer || strcmp(text, first) != 0))
      return rh_trial_fail(trial,
                           "probe does not say the same again: %d, '%.100s', then %d, "
                           "'%.100s'",
                           answer, first, again, text);
    answer = again;
    memcpy(first, text, sizeof first);
  }
  return RH_OK;
}

/* ---- V72 ---- */

/* Opening a library may change what its own constructors change, and that is not the transport's
 * fault.  So the first call is held to what decides results, and the second to everything. */
static const uint32_t of_libraries =
    1u << RH_STATE_SIGNALS | 1u << RH_STATE_ATTRIBUTES | 1u << RH_STATE_DESCRIPTORS |
    1u << RH_STATE_THREADS | 1u << RH_STATE_FILES | 1u << RH_STATE_CODE | 1u << RH_STATE_LIBRARIES;

static rh_status probe_watched(rh_trial *trial, const rh_transport *t, uint32_t without) {
  RH_FINISHED(rh_footprint) footprint = {.unsteady = without};
  rh_footprint_enter(&footprint, 0);
  t->probe(rh_sentence_room(), RH_SENTENCE_BYTES);
  rh_footprint_judge(&footprint, "probe", 1);
  return footprint.said[0] ? rh_trial_fail(trial, "%s", footprint.said) : RH_OK;
}

RH_TEST(72, "transport: probe leaves the process unchanged", RH_TRANSPORT_TEST) {
  const rh_transport *t;
  RH_TRY(load(trial, &t));
  rh_trial_phase(trial, "probe");
  trial->watches_end = 1;
  RH_TRY(probe_watched(trial, t, of_libraries));
  return probe_watched(trial, t, 1u << RH_STATE_LIBRARIES);
}

/* ---- Jobs of ranks ---- */

/* Seconds: for a job that nothing breaks; for one that is broken, from then to its end, and for
 * gather beyond what it was told; for what the launcher leaves to disappear; between signs of
 * life. */
static const double calm_s = 40, quick_calm_s = 20, end_s = 10, over_s = 3, settle_s = 5,
                    say_s = 0.2;
enum { FEW = 3, LOOK_US = 10000 };

enum { MOST_RANKS = 64 };
typedef struct job {
  rh_trial *trial;
  rh_rank_task task;
  uint32_t size, special;
  double calm_s;    /* how long it may take if nothing breaks it */
  char report[256]; /* the file that all ranks write */
  int output;       /* of the launcher and the ranks; -1: none */
  rh_child child;
  int has_ended; /* the launcher */
  rh_rank_said ranks[MOST_RANKS];
  uint32_t n;
} job;

/* ---- Starting ---- */

/* The user's words, with the number in its place, and redhost as a rank behind them. */
static rh_status start_launcher(job *j, rh_error *error) {
  static const char number[] = "{n}";
  const rh_trial *trial = j->trial;
  const char *from = trial->launch;
  RH_FREED(char) program = NULL;
  RH_FINISHED(rh_text) command = {0};
  RH_FINISHED(rh_text) order = {0};
  RH_TRY(rh_child_program(&trial->context->options, &program, error));
  for (const char *at; (at = strstr(from, number)); from = at + strlen(number))
    rh_text_add(&command, "%.*s%u", (int)(at - from), from, j->size);
  rh_text_add(&command, "%s ", from);
  rh_text_add_word(&command, program);
  rh_text_add(&command, " --rank ");
  rh_text_add_word(&command, j->report);
  rh_text_add(&order, "%d,%u,%u,%llu,%s", (int)j->task, j->size, j->special,
              (unsigned long long)trial->seed + j->size, trial->path);
  rh_text_add(&command, " ");
  rh_text_add_word(&command, rh_text_get(&order));
  const char *const argv[] = {"sh", "-c", rh_text_get(&command), NULL};
  j->output = memfd_create("redhost-output", MFD_CLOEXEC);
  const rh_child_spec spec = {
      .program = "/bin/sh", .argv = argv, .data = -1, .output = j->output, .stranger = 1};
  return rh_child_start(&j->child, &spec, error);
}

/* RH_OK, or the outcome to return. */
static rh_status start(job *j, rh_trial *trial, rh_rank_task task, uint32_t size,
                       uint32_t special) {
  const char *temporary = rh_env("TMPDIR");
  *j = (job){.trial = trial,
             .task = task,
             .size = size,
             .special = special,
             .calm_s = trial->quick ? quick_calm_s : calm_s,
             .output = -1};
  if (!trial->launch)
    return rh_trial_skip(trial, "needs a job of several ranks; say how one is started, as in "
                                "--launch 'mpirun -n {n}'");
  if (!temporary) temporary = "/tmp";
  snprintf(j->report, sizeof j->report, "%.200s/redhost-ranks-XXXXXX", temporary);
  int file = mkstemp(j->report);
  if (file < 0) {
    j->report[0] = 0;
    return rh_trial_skip(trial, "%s cannot be written", temporary);
  }
  close(file);
  if (start_launcher(j, &trial->error) == RH_OK) return RH_OK;
  return rh_trial_skip(trial, "%s", trial->error.message);
}

/* ---- What the ranks say ---- */

static const rh_rank_said *rank_of(const job *j, uint32_t rank) {
  for (uint32_t k = 0; k < j->n; k++)
    if (j->ranks[k].has_joined && j->ranks[k].place.rank == rank) return &j->ranks[k];
  return NULL;
}

/* A zombie has ended.  A process on another host cannot be seen. */
static int runs(const rh_rank_said *s) {
  char pid[24], who[512], here[64] = "", state;
  int parent;
  gethostname(here, sizeof here - 1);
  snprintf(pid, sizeof pid, "%ld", (long)s->pid);
  return strcmp(here, s->host) == 0 && rh_state_process(pid, who, &state, &parent) &&
         state != 'Z' && state != 'X';
}

/* Null, or a rank that has reported and still runs. */
static const rh_rank_said *running(const job *j) {
  for (uint32_t k = 0; k < j->n; k++)
    if (runs(&j->ranks[k])) return &j->ranks[k];
  return NULL;
}

/* Reads the report again, in which the last words of each process count; the launcher's end is
 * noticed, too. */
static void look_again(job *j) {
  rh_rank_said said;
  siginfo_t info = {0};
  if (!j->has_ended && waitid(P_PID, (id_t)j->child.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid) {
    j->has_ended = 1;
    rh_child_end(&j->child, RH_CHILD_CLOSED_S);
  }
  j->n = 0;
  FILE *file = fopen(j->report, "re");
  while (file && fread(&said, sizeof said, 1, file) == 1) {
    uint32_t k = 0;
    while (k < j->n && (j->ranks[k].pid != said.pid || strcmp(j->ranks[k].host, said.host) != 0))
      k++;
    if (k == MOST_RANKS) continue;
    j->ranks[k] = said;
    if (k == j->n) j->n++;
  }
  if (file) fclose(file);
}

/* Waits until the launcher and all ranks have ended; or, if `ready`, until all ranks are ready or
 * the launcher has ended.  0 if that does not happen within `seconds`.  This process is not silent
 * meanwhile: the ranks have limits of their own. */
static int wait_for(job *j, int ready, double seconds) {
  char phase[48];
  double said = 0;
  snprintf(phase, sizeof phase, "a job of %u ranks", j->size);
  for (double end = rh_now() + seconds;; usleep(LOOK_US)) {
    uint32_t n = 0;
    if (rh_now() > said + say_s) {
      rh_trial_phase(j->trial, phase);
      said = rh_now();
    }
    look_again(j);
    for (uint32_t k = 0; k < j->n; k++) n += (uint32_t)j->ranks[k].is_ready;
    if (ready ? j->has_ended || n >= j->size : j->has_ended && !running(j)) return 1;
    if (rh_now() > end) return 0;
  }
}

static void job_finish(job *j) {
  rh_child_end(&j->child, 0);
  for (uint32_t k = 0; k < j->n; k++)
    if (runs(&j->ranks[k])) kill(j->ranks[k].pid, SIGKILL);
  if (j->report[0]) unlink(j->report);
  if (j->output >= 0) close(j->output);
}

/* ---- Judging ---- */

/* "ended with status 1; it printed 'LINE...'" */
static const char *ending_of(const job *j) {
  static char to[320];
  rh_printed printed = {0};
  int length = !j->has_ended ? snprintf(to, 64, "still runs")
               : WIFEXITED(j->child.status)
                   ? snprintf(to, 64, "ended with status %d", WEXITSTATUS(j->child.status))
                   : snprintf(to, 64, "was ended by signal %d", WTERMSIG(j->child.status));
  ssize_t got = pread(j->output, printed.begin, sizeof printed.begin - 1, 0);
  off_t bytes = lseek(j->output, 0, SEEK_END);
  printed.bytes = bytes > 0 ? (uint64_t)bytes : 0;
  printed.begin[got > 0 ? got : 0] = 0;
  rh_printed_quote(&printed, to + length, 256);
  return to;
}

/* Reports what the ranks found, or that some did not begin or join. */
static rh_status judge_ranks(const job *j) {
  uint32_t joined = 0;
  for (uint32_t k = 0; k < j->n; k++) {
    const rh_rank_said *s = &j->ranks[k];
    joined += (uint32_t)s->has_joined;
    if (s->wrong[0] && s->has_joined)
      return rh_trial_fail(j->trial, "rank %u of %u: %s", s->place.rank, j->size, s->wrong);
    if (s->wrong[0]) return rh_trial_fail(j->trial, "a job of %u ranks: %s", j->size, s->wrong);
  }
  if (joined >= j->size) return RH_OK;
  return rh_trial_fail(j->trial,
                       "of %u ranks, %u have begun and %u have joined the job; the launcher %s",
                       j->size, j->n, joined, ending_of(j));
}

/* Orphans have become children of this process; those that have ended are none. */
static int leaves_a_process(rh_trial *trial, char name[64]) {
  for (double left = settle_s;; left -= LOOK_US * 1e-6) {
    rh_trial_phase(trial, "the end of a job");
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    json_auto_t *children = rh_state_take(RH_STATE_CHILDREN);
    const char *first = json_object_iter_key(json_object_iter(children));
    if (first) snprintf(name, 64, "%s", first);
    if (!first || left <= 0) return first != NULL;
    usleep(LOOK_US);
  }
}

static rh_status judge_calm(const job *j, int ended) {
  char name[64];
  RH_TRY(judge_ranks(j));
  for (uint32_t r = 0; r < j->size; r++) {
    const rh_rank_said *s = rank_of(j, r);
    if (!s)
      return rh_trial_fail(j->trial, "%u ranks have joined, but none of them is rank %u", j->size,
                           r);
    if (!s->has_closed)
      return rh_trial_fail(j->trial, "rank %u of %u has not left the job; the launcher %s", r,
                           j->size, ending_of(j));
  }
  if (!ended)
    return rh_trial_fail(j->trial, "all %u ranks have left the job, but it has not ended in %.0f s",
                         j->size, j->calm_s);
  if (j->child.status != 0)
    return rh_trial_fail(j->trial, "all %u ranks have left the job, but the launcher %s", j->size,
                         ending_of(j));
  if (leaves_a_process(j->trial, name))
    return rh_trial_fail(j->trial, "after the job has ended, the process %s still runs", name);
  return RH_OK;
}

/* A job that nothing breaks.  Local ranks are from 0 in the order of the ranks, on each host. */
static rh_status run_calm(rh_trial *trial, rh_rank_task task, uint32_t size) {
  RH_FINISHED(job) j;
  RH_TRY(start(&j, trial, task, size, size - 1));
  RH_TRY(judge_calm(&j, wait_for(&j, 0, j.calm_s)));
  for (uint32_t r = 0; r < size; r++) {
    const rh_rank_said *s = rank_of(&j, r);
    uint32_t before = 0;
    for (uint32_t q = 0; q < r; q++) before += strcmp(rank_of(&j, q)->host, s->host) == 0;
    if (s->place.local_rank != before)
      return rh_trial_fail(trial, "rank %u of %u has local rank %u instead of %u", r, size,
                           s->place.local_rank, before);
  }
  return RH_OK;
}

static rh_status run_sizes(rh_trial *trial, rh_rank_task task) {
  static const uint32_t sizes[] = {FEW, 2, 1, 5, 16};
  uint32_t n = trial->quick ? 2 : RH_COUNT(sizes);
  for (uint32_t k = 0; k < n; k++) RH_TRY(run_calm(trial, task, sizes[k]));
  return RH_OK;
}

RH_TEST_IS(74, "transport: ranks and local ranks", run_sizes(trial, RH_RANK_GREET),
           RH_JOB_TEST(1, 5, 2))
RH_TEST_IS(75, "transport: gather of any size, by rank", run_sizes(trial, RH_RANK_SIZES),
           RH_JOB_TEST(1, 6, 2))
RH_TEST_IS(76, "transport: many gathers, on busy processors", run_calm(trial, RH_RANK_MANY, FEW),
           RH_JOB_TEST(1, 4, 4))
RH_TEST_IS(77, "transport: gather waits for a rank that is late",
           run_calm(trial, RH_RANK_LATE, FEW), RH_JOB_TEST(1, 3, 3))
RH_TEST_IS(83, "transport: floating point, locale, directory and file mode mask stay",
           run_calm(trial, RH_RANK_STATE, FEW), RH_JOB_TEST(1, 1, 1))

RH_TEST(73, "transport: a job of one rank", RH_TRANSPORT_TEST) {
  const rh_transport *transport;
  RH_TRY(load(trial, &transport));
  char *text = rh_sentence_room();
  int32_t answer = transport->probe(text, RH_SENTENCE_BYTES);
  if (answer != RH_TRANSPORT_CAN)
    return rh_trial_skip(trial, "probe does not offer a job of one rank: it returns %d, '%.200s'",
                         answer, rh_sentence_fault(text) ? "" : text);
  trial->launch = "";
  return run_calm(trial, RH_RANK_SIZES, 1);
}

RH_TEST(82, "transport: close lets each rank leave in its own time", RH_JOB_TEST(1, 3, 3)) {
  for (trial->seed = 0; trial->seed < 2; trial->seed++)
    RH_TRY(run_calm(trial, RH_RANK_CLOSES, FEW));
  return RH_OK;
}

/* ---- Jobs that lose a rank ---- */

static rh_status judge_end(const job *j, const char *what, int ended) {
  const rh_rank_said *one = running(j);
  RH_TRY(judge_ranks(j));
  if (!ended && one)
    return rh_trial_fail(j->trial, "%s, and %.0f s later rank %u still runs", what, end_s,
                         one->place.rank);
  if (!ended) /* Open MPI 4.1.4's may wait for itself, when it is no longer of use */
    return rh_trial_warn(j->trial,
                         "%s, all ranks have ended, and %.0f s later the launcher still runs", what,
                         end_s);
  if (j->child.status == 0)
    return rh_trial_fail(j->trial, "%s, but the launcher %s", what, ending_of(j));
  for (uint32_t k = 0; k < j->n; k++)
    if (j->ranks[k].broken_s > RH_RANK_PATIENCE_S + over_s)
      return rh_trial_fail(j->trial,
                           "%s, and gather of rank %u returned after %.1f s; it was told %.0f s",
                           what, j->ranks[k].place.rank, j->ranks[k].broken_s, RH_RANK_PATIENCE_S);
  return RH_OK;
}

/* Variant 0: the last rank; 1: rank 0.  number: the signal for it; 0: it acts by itself. */
static rh_status run_lost(rh_trial *trial, rh_rank_task task, int number, const char *how) {
  RH_FINISHED(job) j;
  char what[64];
  uint32_t special = trial->variant ? 0 : FEW - 1;
  snprintf(what, sizeof what, "rank %u of %d %s", special, FEW, how);
  RH_TRY(start(&j, trial, task, FEW, special));
  if (!wait_for(&j, 1, j.calm_s) || (j.has_ended && number)) {
    RH_TRY(judge_ranks(&j));
    return rh_trial_fail(trial, "%u ranks do not get through their first gathers%s", j.size,
                         j.has_ended ? "; the job has ended" : "");
  }
  const rh_rank_said *lost = rank_of(&j, special);
  if (number && !lost) return rh_trial_fail(trial, "no rank is rank %u", special);
  if (number) kill(lost->pid, number);
  return judge_end(&j, what, wait_for(&j, 0, end_s));
}

RH_TEST_IS(78, "transport: a rank that is killed ends all",
           run_lost(trial, RH_RANK_LASTS, SIGKILL, "was killed"), RH_JOB_TEST(2, 4, 4))
RH_TEST_IS(79, "transport: a rank that is stopped ends all",
           run_lost(trial, RH_RANK_LASTS, SIGSTOP, "was stopped"), RH_JOB_TEST(2, 8, 8))
RH_TEST_IS(80, "transport: a rank that ends without close ends all",
           run_lost(trial, RH_RANK_LEAVES, 0, "ended without close"), RH_JOB_TEST(2, 4, 4))
RH_TEST_IS(81, "transport: abort ends all ranks",
           run_lost(trial, RH_RANK_ABORTS, 0, "aborted the job"), RH_JOB_TEST(2, 4, 4))
