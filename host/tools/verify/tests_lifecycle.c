/* V31 to V40: from setup to teardown. */
#include "internal.h"

#include <malloc.h>

#include "../../choose/choose.h"

/* Bytes that malloc has handed out. */
static size_t memory_in_use(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

RH_TEST(31, "setup and teardown without a run", RH_RUN_TEST(0.2, 0.1)) {
  for (int k = 0; k < 3; k++) RH_TRY(rh_try_one(trial, 1003, RH_RIG_PLAIN, NULL));
  return rh_try_any_problem(trial, 1003);
}

/* ---- V32 ---- */

/* A moment allows so many runs, and fewer on a busy machine. */
enum {
  LEAST_RUNS = 1000,
  MOST_RUNS = 4000,
  SETTLED = 20,
  MOST_GROWTH_A_RUN = 200,
  MOST_GROWTH = 64 << 10
};
static const double runs_s = 4, runs_quick_s = 0.5;

/* Ranges of one input: what a run keeps from the one before shows in its result. */
enum { RANGES = 3, LARGE = 10007 };
static const struct { uint64_t first, n; } ranges[RANGES] = {{0, LARGE}, {5, 97}, {111, 1003}};

static rh_status run_range(rh_rig *rig, int k) {
  rig->first = ranges[k].first;
  rig->n = ranges[k].n;
  return rh_rig_run(rig);
}

RH_RIG_TEST(32, "thousands of runs: same results, no memory growth", LARGE, RH_RUN_TEST(1, 0.3)) {
  _Alignas(16) unsigned char first[RANGES][16]; /* results, which all later ones must equal */
  RH_TRY(rh_rig_fill(rig, "hash", seed, LARGE, 0));
  for (int k = 0; k < RANGES; k++) {
    RH_TRY(run_range(rig, k));
    RH_TRY(rh_rig_judge(rig, rig->value));
    memcpy(first[k], rig->value, 16);
  }
  double until = rh_now() + (rig->trial->quick ? runs_quick_s : runs_s);
  size_t settled = 0;
  int run = RANGES + 1;
  for (; run <= MOST_RUNS; run++) {
    int k = run % 32 ? 1 + run % 2 : 0;
    if (run > LEAST_RUNS && run % 32 == 0 && rh_now() > until) break;
    RH_TRY(run_range(rig, k));
    if (run == SETTLED) settled = memory_in_use();
    if (!rh_rig_gave(rig, first[k]))
      return rh_trial_fail(rig->trial, "the result of run %d differs from that of run %d", run,
                           k + 1);
  }
  size_t now = memory_in_use(), grown = now > settled ? now - settled : 0;
  /* Some drivers keep a little of each run, such as PoCL 70 B. */
  if (!settled || grown <= MOST_GROWTH_A_RUN * (size_t)run) return RH_OK;
  return rh_trial_fail(rig->trial, "%zu B more memory in use after run %d than after run %d", grown,
                       run - 1, SETTLED);
}

/* ---- V33, V34 ---- */

/* A driver may release what a command used a moment after clFinish, on its own thread, so the least
 * of several readings counts. */
static cl_uint count_of(const rh_cl_session *session, cl_uint enough) {
  if (!session) return 0;
  rh_cl_finish(session->queue);
  cl_uint least = rh_cl_references(session);
  for (int k = 0; k < 50 && least > enough; k++) {
    usleep(2000);
    cl_uint now = rh_cl_references(session);
    if (now < least) least = now;
  }
  return least;
}

/* Runs one instance whose k-th service call fails. *injected: there was such a call. */
static rh_status run_with_fault(rh_trial *trial, rh_pair pair, uint32_t k, int *injected) {
  RH_FINISHED(rh_rig) rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 5003, &(rh_rig_with){.fail_at = k});
  if (status == RH_OK) status = rh_rig_reduce(&rig, "hash", trial->seed, 5003, 0);
  *injected = rig.injected;
  if (!*injected) return status;
  if (status != RH_OK) return RH_OK;
  return rh_trial_fail(trial, "service call %u was made to fail, but no error was returned", k);
}

/* How much memory grows over some instances, each of which fails at another service, or none of
 * which fails. */
static rh_status growth(rh_trial *trial, rh_pair pair, int fails, size_t *grown) {
  int injected;
  size_t before = memory_in_use();
  for (uint32_t k = 0; k < (trial->quick ? 8u : 20u); k++)
    RH_TRY(run_with_fault(trial, pair, fails ? 2 + k % 3 : 0, &injected));
  size_t after = memory_in_use();
  *grown = after > before ? after - before : 0;
  return RH_OK;
}

RH_TEST(33, "each host service fails in turn: an error and no leak", RH_RUN_TEST(1.5, 0.2)) {
  rh_pairs pairs;
  size_t usual, grown;
  int injected;
  RH_TRY(rh_served_pairs(trial, 5003, 1, &pairs));
  const rh_pair pair = pairs.list[0];
  RH_TRY(run_with_fault(trial, pair, 0, &injected));
  cl_uint before = count_of(trial->session, 0);
  injected = 1;
  for (uint32_t k = 1; k < 1000 && injected; k++) {
    RH_TRY(run_with_fault(trial, pair, k, &injected));
    if (count_of(trial->session, before) > before)
      return rh_trial_fail(
          trial, "after service call %u was made to fail, OpenCL objects are left behind", k);
  }
  /* Leaks of the plugin's own memory add up over many instances.  Some drivers keep memory for
   * each program that is built; instances without a fault show how much. */
  RH_TRY(growth(trial, pair, 0, &usual));
  RH_TRY(growth(trial, pair, 1, &grown));
  if (grown <= usual + MOST_GROWTH) return RH_OK;
  return rh_trial_fail(trial, "failed setups leave %zu B of memory behind", grown - usual);
}

RH_TEST(34, "OpenCL's reference counts balance", RH_RUN_TEST(0.2, 0.1)) {
  RH_TRY(rh_try_any_problem(trial, 1003));
  if (!trial->session) return rh_trial_skip(trial, "runs on the host");
  cl_uint before = count_of(trial->session, 0);
  for (int k = 0; k < 5; k++) RH_TRY(rh_try_any_problem(trial, 1003));
  cl_uint after = count_of(trial->session, before);
  if (after <= before) return RH_OK;
  return rh_trial_fail(trial,
                       "five instances leave %d references to the context and the queue behind",
                       (int)after - (int)before);
}

RH_RIG_TEST(35, "host services only in their phase, floating point preserved", 5003,
            RH_RUN_TEST(0.2, 0.1)) {
  rh_status status = RH_OK;
  for (int k = 0; k < 2 && status == RH_OK; k++) status = rh_one_case(rig, seed);
  rh_rig_teardown(rig);
  if (rig->services.misplaced)
    return rh_trial_fail(rig->trial, "calls %s() outside its phase", rig->services.misplaced);
  if (rig->left_fpstate)
    return rh_trial_fail(rig->trial, "%s changes the floating-point control word",
                         rig->left_fpstate);
  return status;
}

/* The host's table, which the rig holds, cannot be read after teardown. */
static rh_status calls_later(rh_rig *rig, uint64_t seed) {
  RH_TRY(rh_one_case(rig, seed));
  rh_rig_teardown(rig);
  rh_trial_phase(rig->trial, "a call of the host after teardown");
  usleep(200000);
  return RH_OK;
}

RH_TEST(36, "nothing happens after teardown", RH_RUN_TEST(0.2, 0.1)) {
  /* so that a driver has started its own threads */
  RH_TRY(rh_try_any_problem(trial, 1003));
  json_auto_t *before = rh_state_take(RH_STATE_THREADS);
  RH_TRY(rh_try_one(trial, 1003, RH_RIG_PLAIN, calls_later));
  json_auto_t *after = rh_state_take(RH_STATE_THREADS);
  if (json_object_size(after) <= json_object_size(before)) return RH_OK;
  return rh_trial_fail(trial, "a thread is still running after teardown");
}

/* ---- V37 ---- */

static rh_status interleave(rh_trial *trial, rh_pair of_a, rh_pair of_b) {
  RH_FINISHED(rh_rig) a = {.trial = NULL};
  RH_FINISHED(rh_rig) b = {.trial = NULL};
  RH_TRY(rh_rig_open(&a, trial, of_a, 5003, NULL));
  RH_TRY(rh_rig_open(&b, trial, of_b, 1009, NULL));
  for (uint64_t k = 0; k < 3; k++) {
    RH_TRY(rh_rig_case(&a, "hash", 1 + k, 5003, 0));
    RH_TRY(rh_rig_case(&b, "hash", 7 + k, 1009, 0));
  }
  rh_rig_finish(&a);
  return rh_rig_case(&b, "hash", 99, 1009, 0);
}

typedef struct threaded {
  rh_trial trial; /* a copy: a session is for one thread at a time */
  uint64_t n;
  rh_status status;
} threaded;

static rh_status run_often(rh_rig *rig, uint64_t seed) {
  for (int k = 0; k < 20; k++) RH_TRY(rh_one_case(rig, seed));
  return RH_OK;
}

static void *run_in_thread(void *user) {
  threaded *l = user;
  l->status = rh_try_one(&l->trial, l->n, RH_RIG_PLAIN, run_often);
  return NULL;
}

static rh_status on_two_threads(rh_trial *trial) {
  pthread_t threads[2];
  threaded two[2];
  rh_status status = RH_OK;
  int n = 0, started = 0;
  for (; n < 2; n++) {
    two[n] = (threaded){.n = n ? 1009 : 5003};
    if (rh_trial_copy(&two[n].trial, trial, &trial->context->options) != RH_OK) break;
    two[n].trial.channel = 0;
  }
  rh_trial_phase(trial, "two threads");
  for (; started < n; started++)
    if (pthread_create(&threads[started], NULL, run_in_thread, &two[started]) != 0) break;
  for (int k = 0; k < started; k++) {
    pthread_join(threads[k], NULL);
    if (two[k].status == RH_OK || (status != RH_OK && two[k].status == RH_DECLINED)) continue;
    status = two[k].status;
    rh_fail(&trial->error, status, "two instances on two threads: %s", two[k].trial.error.message);
  }
  for (int k = 0; k < n; k++) rh_context_close(two[k].trial.context);
  return status;
}

/* Two instances of one problem, and two of different problems. */
RH_TEST(37, "two instances, in turn and on two threads", RH_RUN_TEST(0.2, 0.1)) {
  rh_pairs pairs;
  RH_TRY(rh_served_pairs(trial, 5003, RH_MOST_PAIRS, &pairs));
  RH_TRY(interleave(trial, pairs.list[0], pairs.list[0]));
  RH_TRY(interleave(trial, pairs.list[0], pairs.list[pairs.n - 1]));
  return on_two_threads(trial);
}

RH_TEST_IS(38, "structs as small as in 1.0", rh_try_one(trial, 5003, RH_RIG_EXACT, rh_one_case),
           RH_RUN_TEST(0.2, 0.1))
RH_TEST_IS(39, "structs larger than today's", rh_try_one(trial, 5003, RH_RIG_GROWN, rh_one_case),
           RH_RUN_TEST(0.2, 0.1))

RH_RIG_TEST(40, "the run after a failed one is right", 5003, RH_RUN_TEST(0.2, 0.1)) {
  RH_TRY(rh_rig_fill(rig, "hash", seed, 5003, 0));
  rig->with.fail_at = rig->calls + 1; /* the first service that run calls */
  rh_status status = rh_rig_run(rig);
  if (!rig->injected)
    return rh_fail(rig->error, RH_DECLINED, "its run calls no service that could fail");
  if (status == RH_OK)
    return rh_trial_fail(rig->trial, "a service failed in run, but no error was returned");
  rig->with.fail_at = 0;
  rig->injected = 0;
  status = RH_OK;
  for (int k = 0; k < 2 && status == RH_OK; k++) status = rh_one_case(rig, seed);
  return rh_error_prefix(rig->error, status, "after a failed run");
}
