/* How `auto` estimates, measures and chooses. */
#pragma once

#include "choose.h"

static inline const rh_offer *rh_offer_of(const rh_job_spec *spec, const rh_entry *entry) {
  return &entry->offers[spec->operation.op->base][spec->operation.op->type];
}

/* Estimates a strategy's time for a problem from all available data: measured here, and shipped
 * with redhost, at any sizes. */

/* The problem with the entry's operator and type, at the size that moves as many bytes. */
rh_asked rh_asked_as(const rh_asked *of, const rh_tunedb_entry *entry);

typedef struct rh_estimate {
  const rh_tunedb_entry *from; /* the nearest entry; null: no entry has a time */
  uint32_t unlike;             /* how much its problem differs: RH_TUNED_SAME, ... */
  double time_s, latency_s;    /* at n; latency_s is 0 if unknown */
  /* the ratio of measured to shipped times here, for exactly this operator and type; 0: unknown */
  double measured_per_shipped;
} rh_estimate;

/* Uses the data of the one operator and type most similar to the problem: the same, else the
 * built-in operator that a user's is based on, else a similar operator of the type, else of any
 * type.  Another operator's or type's count at the size that moves as many bytes.  If those were
 * measured here, they give the time and the shipped times give the growth with n.  Otherwise only
 * the shipped times count, which the caller may scale.  Times are interpolated between two sizes.
 * Beyond them they are in proportion to the bytes, down to the time of a start. */
rh_estimate rh_estimate_of(const rh_tunedb *tuned, const rh_asked *of);

/* A calibration run: a short measurement of what `auto` has to know about a machine that nobody
 * tuned. */

typedef struct rh_known_strategy {
  const rh_entry *entry;
  uint64_t plugin; /* rh_tunedb_plugin() of its file, if it was measured here */
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
