/* One device, or the host, with a strategy that is set up for chunks of a stream. */
#pragma once

#include "../../core/run/job.h"
#include "staging.h"

/* When a chunk was read, copied and reduced: begin and end, of rh_now(). */
typedef struct rh_chunk_times {
  uint64_t index;
  double read[2], copy[2], run[2]; /* copy: zeros without a copy */
} rh_chunk_times;

/* A chunk on its way. */
typedef struct rh_place_chunk {
  rh_ring_slot *slot;
  cl_event sent, first, last; /* the copy, and the first and last command of the reduction */
  double run_s[2];            /* of reductions without events */
} rh_place_chunk;

/* Zero-initialised may be finished; must not be moved once it is set up. */
typedef struct rh_place {
  rh_job job; /* of chunk_n elements */
  uint64_t chunk_n;
  uint64_t whole_n;                   /* what n is in a map; the caller sets it */
  uint64_t offsets[RH_MOST_OPERANDS]; /* of the operands in a slot */
  rh_staging *staging;                /* its own, or another that it borrows */
  rh_staging own;
} rh_place;

/* Elements of a chunk of at most `bytes` bytes of the largest operand: a power of two of tiles, and
 * at least one. */
uint64_t rh_place_chunk_n(const rh_job_spec *spec, uint64_t bytes);

/* Finds the strategy, asks it, and sets it up.  spec->n and its offsets are the place's to choose;
 * place->job.spec has them.  place->staging: of that device, and borrowed until rh_place_finish(),
 * if it is not null.  It fails as rh_job_init() does. */
rh_status rh_place_init(rh_place *place, rh_context *context, const rh_job_spec *spec,
                        uint64_t chunk_n, uint32_t n_slots, rh_error *error);
void rh_place_finish(rh_place *place);

/* Begins to bring the chunk of chunk->slot to the device. */
rh_status rh_place_send(rh_place *place, rh_place_chunk *chunk, rh_error *error);
/* Reduces it.  Returns when that is enqueued, or done. */
rh_status rh_place_run(rh_place *place, rh_place_chunk *chunk, rh_error *error);
/* Would rh_place_fetch() return without waiting? */
int rh_place_is_done(const rh_place_chunk *chunk);
/* Waits for its value.  The slot's memory can be filled again then, at slot->memory. */
rh_status rh_place_fetch(rh_place *place, rh_place_chunk *chunk, void *value, rh_chunk_times *times,
                         rh_error *error);
void rh_place_drop(rh_place_chunk *chunk); /* releases events */
