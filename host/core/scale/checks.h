/* The check of a stream: each chunk's exact reference, computed while it is in its slot, and what
 * they add up to. */
#pragma once

#include "../reduce/job.h"
#include "fold.h"

/* FULL: every chunk's reference is added up, and the answer is judged by it.  SAMPLED: the values
 * of some chunks are judged, each by its own reference. */
enum { RH_CHECK_FULL, RH_CHECK_SAMPLED, RH_CHECK_NONE };

typedef struct rh_checks {
  int mode;
  const rh_job_spec *job; /* with the operator; borrowed */
  uint64_t whole_n;       /* what n is in a map */
  rh_fold folds[RH_MOST_ORDERS];
  rh_reference whole;
  uint64_t chunks, checked; /* so far */
  rh_verdict verdict;       /* of chunks: the first that is wrong, else the last */
} rh_checks;

/* Must be finished.  n: elements in all, for maps that use n.  job->op's constants must not
 * change meanwhile. */
void rh_checks_init(rh_checks *checks, int mode, const rh_job_spec *job, uint64_t n);
void rh_checks_finish(rh_checks *checks);

/* Is the chunk one of those that are checked?  Depends on its index only. */
int rh_checks_wants(const rh_checks *checks, uint64_t index);

/* The reference of n elements, whose first one has index `first` in the whole.  operands: where
 * they are.  [any thread] */
rh_status rh_checks_refer(const rh_checks *checks, const void *const *operands, uint64_t first,
                          uint64_t n, rh_reference *part, rh_error *error);

/* A chunk: its elements are counted from `first`. */
typedef struct rh_chunk_check {
  uint64_t first;
  const void *const *operands; /* where they are */
  int may_change;              /* 1: others than the strategy can write to them */
  rh_reference *reference;     /* null: it is not checked */
  const void *value;           /* the strategy's; null: the chunk's own is not judged */
  rh_context *context;         /* of the strategy */
  const rh_cl_device *device;  /* which has computed it; null: the host */
  uint64_t depth;              /* from query's answer for a chunk */
} rh_chunk_check;

/* One chunk more.  RH_E_FILE, RH_E_PLUGIN: what rh_job_judge_on() finds before blame. */
rh_status rh_checks_add(rh_checks *checks, uint64_t index, const rh_chunk_check *chunk,
                        rh_error *error);

/* FULL: makes checks->whole the reference of all n elements. */
rh_status rh_checks_conclude(rh_checks *checks, rh_error *error);
