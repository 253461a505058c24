/* Arrays in the host's memory that reach a device through its ring: threads copy them into pinned
 * slots, a queue copies the slots to the device, and another one reduces them there.  Drivers copy
 * from other memory at a fifth of that speed.  It also takes arrays that a device cannot hold. */
#pragma once

#include "reduction.h"

/* Do the arrays of an opened job go through a ring?  They do if the device cannot hold them, or has
 * memory of its own and an array has more than `least` bytes; but not where chunks would change the
 * bits of an answer that the device can give in one piece. */
int rh_arrays_ring(const rh_job *job, uint64_t least);

/* Does the strategy of an opened job give the same bits in any chunks? */
int rh_arrays_keep_bits(const rh_job *job);

/* A ring for arrays, set up for the strategy that was found for all their elements in `found`, an
 * opened job.  spec: of the whole, whose strings live as long as the ring.  staging: borrowed, or
 * null.  check: RH_CHECK_*, for the test of the strategy.  *ring is to be closed after a failure,
 * too. */
rh_status rh_arrays_open(rh_worker **ring, const rh_job *found, const rh_job_spec *spec,
                         rh_staging *staging, int check, rh_error *error);
void rh_arrays_close(rh_worker **ring); /* null is legal */

/* Adds what elements first .. first+n-1 of the partial's whole come to; arrays: where the first of
 * them is, of each operand.  how: an opened device, or a job with its inputs; the rest is
 * set here.  RH_E_WRONG for a wrong chunk.  After a failure nothing reads the arrays any more, and
 * another call may follow. */
rh_status rh_arrays_reduce_part(const rh_reduction_spec *how, const void *const *arrays,
                                uint64_t first, uint64_t n, rh_partial *partial, rh_error *error);

/* Reduces n > 0 elements of each operand by an opened device to *value, of the operator's
 * value_size bytes and aligned to 16.  *depth (may be null) = the depth of the answer; 0:
 * unknown. */
rh_status rh_arrays_reduce(rh_worker *device, const void *const *arrays, uint64_t n, void *value,
                           uint64_t *depth, rh_error *error);
