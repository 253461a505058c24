/* The choice of a strategy and its parameters: `auto`, by what is known of this machine. */
#pragma once

#include "../operators/catalog/catalog.h"
#include "tunedb/tunedb.h"

/* ---- `auto` goes on to another strategy where the one that it chose cannot be used ---- */

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

/* ---- Everything known of the strategies and operators of a context, while it is open ---- */

/* A strategy that failed: `auto` does not choose it again, at this size or above.  An operator
 * alone, without a strategy: its laws were examined. */
typedef struct rh_fact {
  rh_tunedb_entry of;
  int with_settings; /* the caller's settings may be the cause */
} rh_fact;

typedef struct rh_known {
  rh_tunedb *tuned; /* null until asked for */
  const rh_cl_device *tuned_for;
  rh_fact *facts; /* what this process has found out, in addition */
  uint32_t n_facts;
  rh_definitions definitions; /* of operators, by the names and files that were asked for */
} rh_known;

/* For rh_context_open(). */
extern const rh_context_calls rh_choosing;

/* The context was opened with rh_choosing. */
rh_status rh_known_of(rh_context *context, rh_known **known, rh_error *error);

/* Is there such a fact? */
int rh_known_has(const rh_context *context, const rh_asked *of, int with_settings);

/* The tuning database for the device chosen so far, or for the host alone; does not search for
 * devices.  Valid until another device is chosen. */
rh_status rh_context_tuned(rh_context *context, rh_tunedb **tuned, rh_error *error);

/* Examines a user's operator before its first use: RH_E_PLUGIN, with a counterexample, if one of
 * its laws is broken. */
rh_status rh_job_trust(rh_context *context, const rh_job_spec *spec, rh_error *error);

/* ---- From a strategy's name, or "auto", to its file ---- */

/* Finds spec->strategy, or the one that `auto` chooses.  Opens no plugin in this process. */
rh_status rh_locate(rh_context *context, const rh_job_spec *spec, rh_found *found, rh_error *error);

/* Locates as above, and calls rh_job_init() with what was found.  job->spec names what *spec
 * does. */
rh_status rh_locate_job(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error);
