/* Everything known of the strategies and operators of a context, while it is open. */
#pragma once

#include "../core/run/job.h"
#include "../operators/catalog/texts.h"
#include "tunedb/tunedb.h"

/* A strategy that failed: `auto` does not choose it again, at this size or above.  An operator
 * alone, without a strategy: its laws were examined. */
typedef struct rh_fact {
  char strategy[64];
  uint32_t base;
  rh_type type;
  uint64_t own, n;   /* own: rh_operator.hash */
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

/* Notes that of->strategy is left out, or for "" that the operator is trusted; and whether that was
 * noted. */
rh_status rh_known_note(rh_context *context, const rh_asked *of, int with_settings,
                        rh_error *error);
int rh_known_has(const rh_context *context, const rh_asked *of, int with_settings);

/* The tuning database for the device chosen so far, or for the host alone; does not search for
 * devices.  Valid until another device is chosen. */
rh_status rh_context_tuned(rh_context *context, rh_tunedb **tuned, rh_error *error);

/* Examines a user's operator before its first use: RH_E_PLUGIN, with a counterexample, if one of
 * its laws is broken. */
rh_status rh_job_trust(rh_context *context, const rh_job_spec *spec, rh_error *error);
