/* The problems that rh_reduce() keeps set up, so that a repeated problem costs little more than its
 * run.
 *
 * A kept job serves every n of its class: sizes up to a few MiB, and those that are streamed, are
 * set up for the next power of two, others exactly.  Nothing that is kept depends on the caller's
 * memory: the data are brought to a job for one call. */
#pragma once

#include "../engine/reduction/arrays.h"
#include "../operators/custom/custom.h"
#include "call.h"
#include "handle.h"

enum {
  RH_KEPT_SETUPS = 8, /* unless rh_options says otherwise; the least recently used one goes */
  RH_KEPT_BYTES = 64u << 20, /* of device memory, for each job and each input that they share */
};

typedef struct rh_kept_job {
  rh_request asked;      /* what it was set up for, with the constants' values now, without data */
  rh_call call;          /* unless the arrays are streamed */
  uint64_t most_class_n; /* up to so many elements, sizes are rounded up */
  uint64_t most_whole_n; /* more may be streamed */
  uint32_t blame;        /* rh_context.blame when it was set up */
  /* Set up; its input and data are not used.  A job whose arrays are streamed is only opened, for
   * what there is to know of it. */
  rh_job job;
  rh_worker *ring;   /* of such a job; null: arrays go there as a whole */
  rh_custom *custom; /* the user's operator of the job, or null */
} rh_kept_job;

typedef struct rh_kept {
  rh_kept_job **jobs; /* the most recently used first */
  uint32_t n;
  /* of the operands of the call in progress; the device's own buffers are kept */
  rh_cl_input inputs[RH_MOST_OPERANDS];
  rh_staging staging; /* of all rings, which borrow it */
} rh_kept;

/* May the arrays be streamed?  A user's operator needs rh_custom_take_base() then. */
int rh_kept_may_ring(const rh_redhost *redhost, const rh_job_spec *spec);

/* A call by a job for the request that is set up for at least n elements: a kept one, to which a
 * comparison of the requests leads, or a new one.  is_part: they are a part of more.  RH_E_USAGE
 * for a request that cannot be meant.  `use` gets the job, once for each strategy that is tried. */
typedef rh_status rh_kept_use(void *user, rh_kept_job *kept, rh_error *error);
rh_status rh_kept_call(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part,
                       rh_kept_use *use, void *user, rh_error *error);

/* The job of the latest call if the request is the same but for its data, or null. */
rh_kept_job *rh_kept_latest(const rh_redhost *redhost, const rh_request *request);

/* The job that is set up: for all elements that it serves, or for a chunk of the ring. */
rh_job *rh_kept_working(rh_kept_job *kept);

/* Adds what elements first .. first+n-1 of the partial's whole come to; arrays: where the first of
 * them is, of each operand.  A job that is a part's, set up for rh_kept_chunk() elements or a ring.
 * RH_E_WRONG for a wrong chunk. */
rh_status rh_kept_reduce_part(rh_redhost *redhost, rh_kept_job *kept, const void *const *arrays,
                              uint64_t first, uint64_t n, rh_partial *partial, rh_error *error);
/* The most elements of a chunk, in a part of that many. */
uint64_t rh_kept_chunk(const rh_job_spec *job, uint64_t n);

/* Reduces n elements of each operand to *value, aligned to 16, on the way that the job takes.
 * *depth = that of the answer; 0: unknown. */
rh_status rh_kept_reduce(rh_redhost *redhost, rh_kept_job *kept, const void *const *operands,
                         uint64_t n, void *value, uint64_t *depth, rh_error *error);

void rh_kept_finish(rh_redhost *redhost);
