/* Arrays in the host's memory that reach a device through its ring: threads copy them into pinned
 * slots, a queue copies the slots to the device, and another one reduces them there.  Drivers copy
 * from other memory at a fifth of that speed.  It also takes arrays that a device cannot hold. */
#pragma once

#include "stream_device.h"

/* Do the arrays of an opened job go through a ring?  They do if the device cannot hold them, or has
 * memory of its own and an array has more than `least` bytes; but not where chunks would change the
 * bits of an answer that the device can give in one piece. */
int rh_arrays_ring(const rh_job *job, uint64_t least);

/* Does the strategy of an opened job give the same bits in any chunks? */
int rh_arrays_keep_bits(const rh_job *job);

/* Sets up device->job for arrays.  device: as rh_stream_device_open() wants it, with its road.
 * chunk_bytes: as rh_stream_chunk_n() has it; check: RH_CHECK_*, for the test of the strategy. */
rh_status rh_arrays_open(rh_stream_device *device, uint64_t chunk_bytes, int check,
                         rh_error *error);

/* A run of chunks of a whole. */
typedef struct rh_array_run {
  const void *const *arrays; /* one for each operand, from this element of the whole on: */
  uint64_t arrays_first;
  uint64_t n;          /* elements of the whole */
  uint64_t first, end; /* chunks */
  /* As rh_streamer_spec has them, and in the thread of the caller; look may be null. */
  rh_status (*look)(void *user, const rh_lane *lane, rh_ring_slot *slot, rh_error *error);
  rh_status (*take)(void *user, const rh_lane *lane, const rh_ring_slot *slot, const void *value,
                    const rh_chunk_times *times, rh_error *error);
  void *user;
} rh_array_run;

/* Reduces them, and reports progress.  After a failure nothing reads the arrays any more, and
 * another call may follow. */
rh_status rh_arrays_stream(rh_stream_device *device, const rh_array_run *arrays, rh_error *error);

/* Reduces n > 0 elements of each operand to *value, of the operator's value_size bytes and aligned
 * to 16.  *depth (may be null) = the depth of the answer; 0: unknown. */
rh_status rh_arrays_reduce(rh_stream_device *device, const void *const *arrays, uint64_t n,
                           void *value, uint64_t *depth, rh_error *error);
