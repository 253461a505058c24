/* One device, or the host, with a strategy that is set up for chunks of a stream. */
#pragma once

#include "../../core/run/job.h"
#include "road.h"

/* When a chunk was read, copied and reduced: begin and end, of rh_now(). */
typedef struct rh_chunk_times {
  uint64_t index;
  double read[2], copy[2], run[2]; /* copy: zeros without a copy */
} rh_chunk_times;

/* A chunk on its way. */
typedef struct rh_lane_chunk {
  rh_ring_slot *slot;
  cl_event sent, first, last; /* the copy, and the first and last command of the reduction */
  double run_s[2];            /* of reductions without events */
} rh_lane_chunk;

/* Zero-initialised may be finished. */
typedef struct rh_lane {
  rh_job job; /* of chunk_n elements */
  uint64_t chunk_n;
  uint64_t whole_n;                   /* what n is in a map; the caller sets it */
  uint64_t offsets[RH_MOST_OPERANDS]; /* of the operands in a slot */
  rh_road road;
} rh_lane;

/* Elements of a chunk of at most `bytes` bytes of the largest operand: a power of two of tiles, and
 * at least one. */
uint64_t rh_lane_chunk_n(const rh_job_spec *spec, uint64_t bytes);

/* Finds the strategy, asks it, and sets it up.  spec->n and its offsets are the lane's to choose;
 * lane->job.spec has them.  lane->road: zero-initialised, or another lane's of the same device,
 * which is taken over as it is; the lane keeps it after a failure, too.  As rh_job_init() fails. */
rh_status rh_lane_init(rh_lane *lane, rh_context *context, const rh_job_spec *spec,
                       uint64_t chunk_n, uint32_t n_slots, rh_error *error);
void rh_lane_finish(rh_lane *lane);

/* Begins to bring the chunk of chunk->slot to the device. */
rh_status rh_lane_send(rh_lane *lane, rh_lane_chunk *chunk, rh_error *error);
/* Reduces it.  Returns when that is enqueued, or done. */
rh_status rh_lane_run(rh_lane *lane, rh_lane_chunk *chunk, rh_error *error);
/* Would rh_lane_fetch() return without waiting? */
int rh_lane_is_done(const rh_lane_chunk *chunk);
/* Waits for its value.  The slot's memory can be filled again then, at slot->memory. */
rh_status rh_lane_fetch(rh_lane *lane, rh_lane_chunk *chunk, void *value, rh_chunk_times *times,
                        rh_error *error);
void rh_lane_drop(rh_lane_chunk *chunk); /* releases events */
