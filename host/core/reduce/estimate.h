/* Estimates a strategy's time for a problem from all available data: measured here, and shipped
 * with redhost, at any sizes. */
#ifndef RH_REDUCE_ESTIMATE_H
#define RH_REDUCE_ESTIMATE_H

#include "../tunedb/tunedb.h"

/* A strategy and a problem. */
typedef struct rh_estimated {
  const char *strategy;
  uint64_t plugin;
  uint32_t op;
  rh_type type;
  uint64_t n;
} rh_estimated;

typedef struct rh_estimate {
  const rh_tunedb_entry *from; /* the entry that is nearest; null: nothing with a time is known */
  double time_s, latency_s;    /* at n; latency_s is 0 where it is not known */
  /* the ratio of measured to shipped times here, for exactly this operator and type; 0: unknown */
  double measured_per_shipped;
} rh_estimate;

/* By what is most like the problem: the same operator and type, else like ones, else whatever type.
 * Where that was measured here, by it, and by the shipped times for how they grow with n; else by
 * the shipped times alone, which the caller may scale.  Between two sizes times are interpolated;
 * beyond them no more is claimed than that fewer elements take no longer, and more of them no
 * longer for each. */
rh_estimate rh_estimate_of(const rh_tunedb *tuned, const rh_estimated *of);

#endif
