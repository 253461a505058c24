/* Estimates a strategy's time for a problem from all available data: measured here, and shipped
 * with redhost, at any sizes. */
#pragma once

#include "tunedb/tunedb.h"

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
