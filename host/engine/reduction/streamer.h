/* One worker's part of a reduction: the chunks that it gets go from its ring through its place,
 * copies ahead of reductions, and reductions ahead of waiting for their values. */
#pragma once

#include "place.h"
#include "ring.h"

/* Chunks that are sent before one is reduced, and that are reduced before one is fetched: so many
 * copies and reductions are queued meanwhile. */
enum { RH_STREAMER_AHEAD = 2 };

typedef struct rh_streamer rh_streamer;

typedef struct rh_streamer_spec {
  rh_place *place; /* set up; borrowed */
  rh_schedule *schedule;
  uint32_t worker;
  uint32_t n_readers, n_checkers;
  uint64_t piece_n; /* as rh_ring_spec has it */
  /* Looks at a chunk before it is reduced, in threads of the ring, or if `looks_itself`, in the
   * streamer's own. */
  rh_status (*look)(void *user, const rh_place *place, rh_ring_slot *slot, rh_error *error);
  int looks_itself;
  /* Takes the value of a chunk, aligned to 16. */
  rh_status (*take)(void *user, const rh_place *place, const rh_ring_slot *slot, const void *value,
                    const rh_chunk_times *times, rh_error *error);
  void *user;
  const rh_reporter *reporter; /* as rh_ring_spec has it */
} rh_streamer_spec;

/* Fields from `ring` on are read-only.  Zero-initialised may be finished. */
struct rh_streamer {
  rh_streamer_spec spec;
  rh_ring *ring;
  rh_place_chunk chunks[2 * RH_STREAMER_AHEAD]; /* the k-th is in k % MOST_IN_FLIGHT */
  uint64_t sent, run, fetched;                  /* chunks */
  int place_failed; /* 1: it was the place that failed, and another could go on */
};

/* Slots that keep the readers, who fill so many at a time, the checkers and the device busy. */
uint32_t rh_streamer_slots(uint32_t being_read, uint32_t checkers);

/* Starts reading. */
rh_status rh_streamer_begin(rh_streamer *streamer, const rh_streamer_spec *spec, rh_error *error);
/* Reduces until nothing is dealt any more.  [one thread of the caller's] */
rh_status rh_streamer_run(rh_streamer *streamer, rh_error *error);
/* Waits for the device, and ends reading. */
void rh_streamer_finish(rh_streamer *streamer);
