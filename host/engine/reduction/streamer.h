/* One worker's part of a reduction: the chunks that it gets go from its ring to its device, copies
 * ahead of reductions, and reductions ahead of waiting for their values. */
#pragma once

#include "worker.h"

/* When a chunk was read, copied and reduced: begin and end, of rh_now(). */
typedef struct rh_chunk_times {
  uint64_t index;
  double read[2], copy[2], run[2]; /* copy: zeros without a copy */
} rh_chunk_times;

typedef struct rh_streamer_spec {
  rh_worker *device; /* set up; borrowed */
  rh_schedule *schedule;
  uint32_t worker;
  /* Looks at a chunk before it is reduced, in threads of the ring, or without any, in the
   * streamer's own. */
  rh_status (*look)(void *user, rh_ring_slot *slot, rh_error *error);
  /* Takes the value of a chunk, aligned to 16. */
  rh_status (*take)(void *user, const rh_ring_slot *slot, const void *value,
                    const rh_chunk_times *times, rh_error *error);
  void *user;
  const rh_reporter *reporter; /* as rh_ring_spec has it */
} rh_streamer_spec;

/* A chunk on its way. */
typedef struct rh_sent_chunk {
  rh_ring_slot *slot;
  cl_event sent, first, last; /* the copy, and the first and last command of the reduction */
  double run_s[2];            /* of reductions without events */
} rh_sent_chunk;

/* Fields from `ring` on are read-only.  Zero-initialised may be finished. */
typedef struct rh_streamer {
  rh_streamer_spec spec;
  rh_ring *ring;
  rh_sent_chunk chunks[2 * RH_STREAM_AHEAD]; /* the k-th is in k % MOST_IN_FLIGHT */
  uint64_t sent, run, fetched;               /* chunks */
  int device_failed; /* 1: it was the device that failed, and another could go on */
} rh_streamer;

/* Starts reading. */
rh_status rh_streamer_begin(rh_streamer *streamer, const rh_streamer_spec *spec, rh_error *error);
/* Reduces until nothing is dealt any more.  [one thread of the caller's] */
rh_status rh_streamer_run(rh_streamer *streamer, rh_error *error);
/* Waits for the device, and ends reading. */
void rh_streamer_finish(rh_streamer *streamer);
