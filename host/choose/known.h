/* Everything known of the strategies and operators of a context, while it is open. */
#pragma once

#include "../core/run/job.h"
#include "../operators/catalog/texts.h"
#include "tunedb/tunedb.h"

typedef struct rh_left_out rh_left_out;

typedef struct rh_known {
  rh_tunedb *tuned; /* null until asked for */
  const rh_cl_device *tuned_for;
  rh_left_out *left_out; /* what `auto` does not choose again in this process */
  uint32_t n_left_out;
  uint64_t *trusted; /* rh_operator.hash of those whose laws were examined */
  uint32_t n_trusted;
  rh_definitions definitions; /* of operators, by the names and files that were asked for */
} rh_known;

/* For rh_context_open(). */
extern const rh_context_calls rh_choosing;

/* The context was opened with rh_choosing. */
rh_status rh_known_of(rh_context *context, rh_known **known, rh_error *error);

/* The tuning database for the device chosen so far, or for the host alone; does not search for
 * devices.  Valid until another device is chosen. */
rh_status rh_context_tuned(rh_context *context, rh_tunedb **tuned, rh_error *error);

/* Examines a user's operator before its first use: RH_E_PLUGIN, with a counterexample, if one of
 * its laws is broken. */
rh_status rh_job_trust(rh_context *context, const rh_job_spec *spec, rh_error *error);
