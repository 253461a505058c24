/* The problems that rh_reduce() keeps set up, so that a repeated problem costs little more than its
 * run.
 *
 * A kept job serves every n of its class: sizes up to a few MiB are set up for the next power of
 * two, larger ones exactly.  Nothing that is kept depends on the caller's memory: the data are
 * brought to a job for one call. */
#ifndef RH_REDUCE_KEPT_H
#define RH_REDUCE_KEPT_H

#include "job.h"

enum {
  RH_KEPT_JOBS = 8,          /* the least recently used one goes */
  RH_KEPT_BYTES = 64u << 20, /* of device memory, for each job and each input that they share */
};

typedef struct rh_kept_job {
  rh_job job;          /* set up; its input and data are not used */
  rh_operator *custom; /* the user's operator of the job, or null */
  rh_setting *settings;
  uint64_t used;  /* rh_kept.calls at its last use; 0: this place is free */
  uint32_t blame; /* rh_redhost.blame when it was set up */
} rh_kept_job;

typedef struct rh_kept {
  rh_kept_job jobs[RH_KEPT_JOBS];
  /* of the operands of the call in progress; the device's own buffers are kept */
  rh_cl_input inputs[RH_MOST_OPERANDS];
  uint64_t calls;
} rh_kept;

/* A job that is set up for at least spec->n elements: a kept one, or a new one.  Borrowed until
 * rh_kept_release().  *made: the user's operator, spec->custom, or null.  A new job takes it over
 * and sets *made to null; a kept one takes its constants' values. */
rh_status rh_kept_get(rh_redhost *redhost, const rh_job_spec *spec, rh_operator **made,
                      rh_kept_job **kept, rh_error *error);

/* Brings n elements of each operand to the job, or uses them in place. */
rh_status rh_kept_place(rh_redhost *redhost, rh_kept_job *kept, const void *const *operands,
                        uint64_t n, rh_data *placed, rh_error *error);

/* Ends a call: the caller's memory is no longer read.  A job that failed (status), or that takes
 * too much memory, is released. */
void rh_kept_release(rh_redhost *redhost, rh_kept_job *kept, rh_status status);

void rh_kept_finish(rh_redhost *redhost);

#endif
