/* A calibration run: a short measurement of what `auto` has to know about a machine that nobody
 * tuned. */
#pragma once

#include "../core/run/job.h"
#include "estimate.h"

typedef struct rh_known_strategy {
  const rh_entry *entry;
  uint64_t plugin; /* rh_tunedb_plugin() of its file, if the database mentions its name */
  rh_estimate known;
} rh_known_strategy;

/* Measures what is not known yet of a problem whose data are in the host's memory: the two host
 * strategies of the highest score, the way of the data to a device that has memory of its own, and
 * then the three device strategies of the highest score.  Programs of built-in operators must be
 * compiled already, because compiling takes longer than the whole measurement may; a user's are
 * compiled.  A call that takes too long is estimated from a part of the data.  At most 0.3 s on the
 * host and on the device, without the time to open the device and to set strategies up; of at most
 * 128 MiB, which the rest is estimated from.  Only strategies that came with redhost, since this
 * process runs them.  The results are kept in the tuning database, so it happens once for a device,
 * operator, type and order of size; a line of information says so.  Does nothing with
 * rh_options.no_measure, or without a cache to keep the results in.
 * The list are those that can serve the problem.  */
void rh_calibrate(rh_context *context, const rh_job_spec *spec, rh_tunedb *tuned,
                  rh_known_strategy *list, uint32_t n);

/* The measured time of the data of spec, which are in the host's memory, to the device of *tuned,
 * on the way that they take; 0: unknown. */
double rh_transfer_s(const rh_context *context, const rh_tunedb *tuned, const rh_job_spec *spec);

/* The measured time to find and open the device of *tuned; 0: unknown. */
double rh_opening_s(const rh_tunedb *tuned);
