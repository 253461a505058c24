/* The parts of all ranks become one answer: their values are folded and their checks added up, in
 * every rank alike. */
#pragma once

#include "ranks.h"
#include "share.h"

/* A part as bytes, malloc'ed, for a process of the same redhost on a machine like this. */
rh_status rh_part_write(const rh_share *part, int checked, void **made, uint64_t *bytes,
                        rh_error *error);
/* Fails with RH_E_INVALID for what it did not write. */
rh_status rh_part_read(rh_share *part, const rh_job_spec *job, int checked, const void *bytes,
                       uint64_t n, rh_error *error);

/* Zero-initialised may be finished. */
typedef struct rh_whole {
  rh_fold fold;
  rh_share_check check; /* of all parts */
  int checked;
  char strategy[64]; /* of the first rank that has elements; "" if none has */
} rh_whole;

/* Every rank calls it with its own part, of one job.  checked: 1 if the parts were. */
rh_status rh_whole_gather(rh_whole *whole, rh_ranks *ranks, const rh_job_spec *job,
                          const rh_share *part, int checked, rh_error *error);
void rh_whole_finish(rh_whole *whole);

/* The answer, and with a check the judgement on it: RH_E_WRONG, with *result filled, if it is
 * wrong. */
rh_status rh_whole_conclude(const rh_whole *whole, const rh_job_spec *job, rh_result *result,
                            rh_reference *reference, rh_verdict *verdict, rh_error *error);
