/* V74 to V83: a transport in jobs of several ranks. */
#include "launch.h"
#include "process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds: for a job that nothing breaks; for one that is broken, from then to its end, and for
 * gather beyond what it was told; for what the launcher leaves to disappear. */
static const double calm_s = 40, quick_calm_s = 20, end_s = 10, over_s = 3, settle_s = 2;

static double calm_of(const rh_trial *trial) {
  return trial->quick ? quick_calm_s : calm_s;
}

enum { FEW = 3 };

/* ---- Jobs that nothing breaks ---- */

static void take_child(void *user, pid_t pid, char state, const char *name) {
  char *found = user;
  (void)pid;
  if (state != 'Z') snprintf(found, 64, "%s", name);
}

/* Orphans have become children of this process. */
static int leaves_a_process(rh_trial *trial, char name[64]) {
  enum { PAUSE_US = 20000 };
  for (double left = settle_s;; left -= PAUSE_US * 1e-6) {
    name[0] = 0;
    rh_trial_phase(trial, "the end of a job");
    rh_process_each_child(take_child, name);
    if (!name[0] || left <= 0) return name[0] != 0;
    usleep(PAUSE_US);
  }
}

static rh_outcome judge_calm(const rh_launch *launch, int ended) {
  rh_trial *trial = launch->trial;
  char ending[64], printed[256], name[64];
  rh_outcome outcome = rh_launch_judge(launch);
  if (outcome != RH_PASS) return outcome;
  for (uint32_t r = 0; r < launch->size; r++) {
    const rh_rank_seen *seen = rh_launch_rank(launch, r);
    if (!seen)
      return rh_trial_fail(trial, "%u ranks have joined, but none of them is rank %u", launch->size,
                           r);
    if (!seen->has_closed)
      return rh_trial_fail(trial, "rank %u of %u has not left the job; the launcher %s%s", r,
                           launch->size, rh_launch_ending(launch, ending),
                           rh_launch_printed(launch, printed));
  }
  if (!ended)
    return rh_trial_fail(trial, "all %u ranks have left the job, but it has not ended in %.0f s",
                         launch->size, calm_of(trial));
  if (launch->status != 0)
    return rh_trial_fail(trial, "all %u ranks have left the job, but the launcher %s%s",
                         launch->size, rh_launch_ending(launch, ending),
                         rh_launch_printed(launch, printed));
  if (leaves_a_process(trial, name))
    return rh_trial_fail(trial, "after the job has ended, the process '%s' still runs", name);
  return RH_PASS;
}

/* `look` may judge further; or null. */
static rh_outcome run_calm(rh_trial *trial, rh_rank_task task, uint32_t size,
                           rh_outcome (*look)(const rh_launch *launch)) {
  rh_launch launch;
  rh_outcome outcome = rh_launch_start(&launch, trial, task, size, size - 1);
  if (outcome == RH_PASS) {
    int ended = rh_launch_wait(&launch, 0, calm_of(trial));
    outcome = judge_calm(&launch, ended);
  }
  if (outcome == RH_PASS && look) outcome = look(&launch);
  rh_launch_finish(&launch);
  return outcome;
}

static rh_outcome run_sizes(rh_trial *trial, rh_rank_task task,
                            rh_outcome (*look)(const rh_launch *launch)) {
  static const uint32_t sizes[] = {FEW, 2, 1, 5, 16};
  rh_outcome outcome = RH_PASS;
  uint32_t n = trial->quick ? 2 : sizeof sizes / sizeof *sizes;
  for (uint32_t k = 0; k < n && outcome == RH_PASS; k++)
    outcome = run_calm(trial, task, sizes[k], look);
  return outcome;
}

/* From 0 in the order of the ranks, on each host. */
static rh_outcome judge_places(const rh_launch *launch) {
  for (uint32_t r = 0; r < launch->size; r++) {
    const rh_rank_seen *seen = rh_launch_rank(launch, r);
    uint32_t before = 0;
    for (uint32_t s = 0; s < r; s++)
      before += strcmp(rh_launch_rank(launch, s)->host, seen->host) == 0;
    if (seen->local_rank != before)
      return rh_trial_fail(launch->trial, "rank %u of %u has local rank %u instead of %u", r,
                           launch->size, seen->local_rank, before);
  }
  return RH_PASS;
}

rh_outcome rh_v74_places(rh_trial *trial) {
  return run_sizes(trial, RH_RANK_GREET, judge_places);
}

rh_outcome rh_v75_gathers(rh_trial *trial) {
  return run_sizes(trial, RH_RANK_SIZES, NULL);
}

rh_outcome rh_v76_many_gathers(rh_trial *trial) {
  return run_calm(trial, RH_RANK_MANY, FEW, NULL);
}

rh_outcome rh_v77_waits_for_late(rh_trial *trial) {
  return run_calm(trial, RH_RANK_LATE, FEW, NULL);
}

rh_outcome rh_v82_closes(rh_trial *trial) {
  uint64_t seed = trial->seed;
  rh_outcome outcome = RH_PASS;
  for (trial->seed = 0; trial->seed < 2 && outcome == RH_PASS; trial->seed++)
    outcome = run_calm(trial, RH_RANK_CLOSES, FEW, NULL);
  trial->seed = seed;
  return outcome;
}

rh_outcome rh_v83_state(rh_trial *trial) {
  return run_calm(trial, RH_RANK_STATE, FEW, NULL);
}

/* ---- Jobs that lose a rank ---- */

static rh_outcome judge_survivors(const rh_launch *launch, const char *what) {
  for (uint32_t k = 0; k < launch->n_seen; k++) {
    const rh_rank_seen *seen = &launch->seen[k];
    if (seen->has_broken && seen->broken_s > RH_RANK_PATIENCE_S + over_s)
      return rh_trial_fail(launch->trial,
                           "%s, and gather of rank %u returned after %.1f s; it was told %.0f s",
                           what, seen->rank, seen->broken_s, RH_RANK_PATIENCE_S);
  }
  return RH_PASS;
}

static rh_outcome judge_end(const rh_launch *launch, const char *what, int ended) {
  char printed[256];
  rh_outcome outcome = rh_launch_judge(launch);
  const rh_rank_seen *running = rh_launch_running(launch);
  if (outcome != RH_PASS) return outcome;
  if (!ended && running)
    return rh_trial_fail(launch->trial, "%s, and %.0f s later rank %u still runs", what, end_s,
                         running->rank);
  if (!ended) /* Open MPI 4.1.4's may wait for itself, when it is no longer of use */
    return rh_trial_warn(launch->trial,
                         "%s, all ranks have ended, and %.0f s later the launcher still runs", what,
                         end_s);
  if (launch->status == 0)
    return rh_trial_fail(launch->trial, "%s, but the launcher ended with status 0%s", what,
                         rh_launch_printed(launch, printed));
  return judge_survivors(launch, what);
}

/* number: the signal for the special rank; 0: it acts by itself. */
static rh_outcome judge_loss(rh_launch *launch, int number, const char *what) {
  if (!rh_launch_wait(launch, 1, calm_of(launch->trial)) || (launch->has_ended && number)) {
    rh_outcome outcome = rh_launch_judge(launch);
    return outcome != RH_PASS
               ? outcome
               : rh_trial_fail(launch->trial, "%u ranks do not get through their first gathers%s",
                               launch->size, launch->has_ended ? "; the job has ended" : "");
  }
  const rh_rank_seen *lost = rh_launch_rank(launch, launch->special);
  if (number && !lost) return rh_trial_fail(launch->trial, "no rank is rank %u", launch->special);
  if (number) kill(lost->pid, number);
  return judge_end(launch, what, rh_launch_wait(launch, 0, end_s));
}

/* Variant 0: the last rank; 1: rank 0. */
static rh_outcome run_lost(rh_trial *trial, rh_rank_task task, int number, const char *how) {
  rh_launch launch;
  char what[64];
  uint32_t special = trial->variant ? 0 : FEW - 1;
  snprintf(what, sizeof what, "rank %u of %d %s", special, FEW, how);
  rh_outcome outcome = rh_launch_start(&launch, trial, task, FEW, special);
  if (outcome == RH_PASS) outcome = judge_loss(&launch, number, what);
  rh_launch_finish(&launch);
  return outcome;
}

rh_outcome rh_v78_killed(rh_trial *trial) {
  return run_lost(trial, RH_RANK_LASTS, SIGKILL, "was killed");
}

rh_outcome rh_v79_stopped(rh_trial *trial) {
  return run_lost(trial, RH_RANK_LASTS, SIGSTOP, "was stopped");
}

rh_outcome rh_v80_leaves(rh_trial *trial) {
  return run_lost(trial, RH_RANK_LEAVES, 0, "ended without close");
}

rh_outcome rh_v81_aborts(rh_trial *trial) {
  return run_lost(trial, RH_RANK_ABORTS, 0, "aborted the job");
}
