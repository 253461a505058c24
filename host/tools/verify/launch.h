/* Jobs of several ranks that test a transport, as the test sees them: started by the user's
 * launcher, watched by what the ranks report, and ended without leaving anything behind. */
#pragma once

#include "../../core/child/spawn.h"
#include "rank.h"
#include "trial.h"

/* Where the number of ranks stands in a launcher's command. */
#define RH_LAUNCH_NUMBER "{n}"

/* What one rank's file says so far. */
typedef struct rh_rank_seen {
  pid_t pid;
  char host[64];
  int has_joined, is_ready, has_closed, has_broken;
  uint32_t rank, size, local_rank; /* if it has joined */
  double broken_s;
  char wrong[512]; /* its first finding, or "" */
} rh_rank_seen;

/* Zero-initialised may be finished. */
typedef struct rh_launch {
  rh_trial *trial;
  uint32_t size, special;
  char directory[256];
  int output; /* of the launcher and the ranks; -1: none */
  rh_child child;
  int has_ended, status; /* the launcher; as of waitpid */
  rh_rank_seen *seen;
  uint32_t n_seen;
} rh_launch;

/* Starts a job: RH_PASS, or the outcome to return. */
rh_outcome rh_launch_start(rh_launch *launch, rh_trial *trial, rh_rank_task task, uint32_t size,
                           uint32_t special);
void rh_launch_finish(rh_launch *launch);

/* Waits until the launcher and all ranks have ended; or, if `ready`, until all ranks are ready or
 * the launcher has ended.  0 if that does not happen within `seconds`. */
int rh_launch_wait(rh_launch *launch, int ready, double seconds);

/* The rank's entry, or null if it has not joined. */
const rh_rank_seen *rh_launch_rank(const rh_launch *launch, uint32_t rank);

/* Does a process that has reported still run?  Null, or one that does. */
const rh_rank_seen *rh_launch_running(const rh_launch *launch);

/* A failed test for what the ranks found, or for ranks that did not begin or join; else RH_PASS. */
rh_outcome rh_launch_judge(const rh_launch *launch);

/* How the launcher ended: "ended with status 1". */
const char *rh_launch_ending(const rh_launch *launch, char to[64]);

/* "; it printed 'LINE...'", or "". */
const char *rh_launch_printed(const rh_launch *launch, char to[256]);
