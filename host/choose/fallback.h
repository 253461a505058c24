/* `auto` goes on to another strategy where the one that it chose cannot be used. */
#pragma once

#include "../core/run/job.h"

/* The strategies that one call tried in vain; zero-initialised before the first. */
typedef struct rh_attempts {
  uint32_t n;
  rh_error first;   /* of the first strategy */
  char others[256]; /* the names of the others */
} rh_attempts;

/* The call that is tried with one strategy after the other, until one works: every way to reduce
 * is. */
typedef struct rh_tries {
  rh_context *context; /* whose `auto` chooses */
  const rh_job_spec *spec;
  /* With the strategy that is named, or chosen anew.  *is_final = 1: no other is tried after it. */
  rh_status (*attempt)(void *user, int *is_final, rh_error *error);
  void (*undo)(void *user); /* after a failed one, before the next */
  /* Instead of rh_fallback() for `spec`, where several contexts choose; or null. */
  int (*goes_on)(void *user, rh_attempts *tried, rh_error *why);
  void *user;
} rh_tries;

rh_status rh_try_strategies(const rh_tries *tries, rh_error *error);

/* After a failure, *why, of a job for `spec`.  1: choose again, for `auto` chose the strategy, and
 * leaves it out in this process, as a warning says.  0: *why is to be reported; if several
 * strategies were tried, it is the first one's error, with the names of the others.
 * It is the strategy that failed if it could not be loaded, declined late, failed in its setup, its
 * self-test or the check of its order, or ended its own process: a failure of the device, of memory
 * for the data or of the caller's settings, and a cancelled call, would only be repeated. */
int rh_fallback(rh_context *context, const rh_job_spec *spec, rh_attempts *tried, rh_error *why);
