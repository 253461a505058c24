#include "streamer.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../io/view.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_IN_FLIGHT = 2 * RH_STREAMER_AHEAD };

uint32_t rh_streamer_slots(uint32_t being_read, uint32_t checkers) {
  uint32_t slots = being_read + checkers + MOST_IN_FLIGHT;
  return slots < RH_RING_MOST_SLOTS ? slots : RH_RING_MOST_SLOTS;
}

/* In a thread of the ring. */
static rh_status check(void *of_streamer, rh_ring_slot *slot, rh_error *error) {
  const rh_streamer *s = of_streamer;
  return s->spec.look(s->spec.user, s->spec.lane, slot, error);
}

rh_status rh_streamer_begin(rh_streamer *s, const rh_streamer_spec *spec, rh_error *error) {
  const rh_lane *lane = spec->lane;
  *s = (rh_streamer){.spec = *spec};
  const rh_ring_spec ring = {.deal = spec->deal,
                             .hand = spec->hand,
                             .n_slots = lane->road.slots.n,
                             .n_readers = spec->n_readers,
                             .piece_n = spec->piece_n,
                             .n_checkers = spec->n_checkers,
                             .memory = lane->road.slots.memory,
                             .offsets = lane->offsets,
                             .views = !lane->job.device,
                             .check = check,
                             .user = s,
                             .reporter = spec->reporter};
  rh_view_guard_again();
  return rh_ring_create(&s->ring, &ring, error);
}

/* ---- Chunks, from the ring through the lane ---- */

static rh_lane_chunk *chunk_of(rh_streamer *s, uint64_t k) {
  return &s->chunks[k % MOST_IN_FLIGHT];
}

static rh_status of_lane(rh_streamer *s, rh_status status) {
  s->lane_failed = status != RH_OK;
  return status;
}

static rh_status send_next(rh_streamer *s, int *is_over, rh_error *error) {
  rh_lane_chunk *chunk = chunk_of(s, s->sent);
  rh_ring_slot *slot;
  RH_TRY(rh_ring_take(s->ring, &slot, error));
  *is_over = !slot;
  if (!slot) return RH_OK;
  *chunk = (rh_lane_chunk){.slot = slot};
  s->sent++;
  if (s->spec.looks_itself) RH_TRY(s->spec.look(s->spec.user, s->spec.lane, slot, error));
  return of_lane(s, rh_lane_send(s->spec.lane, chunk, error));
}

static rh_status run_next(rh_streamer *s, rh_error *error) {
  RH_TRY(of_lane(s, rh_lane_run(s->spec.lane, chunk_of(s, s->run), error)));
  s->run++;
  return RH_OK;
}

static rh_status fetch_next(rh_streamer *s, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  rh_lane_chunk *chunk = chunk_of(s, s->fetched);
  rh_ring_slot *slot = chunk->slot;
  rh_chunk_times times;
  RH_TRY(of_lane(s, rh_lane_fetch(s->spec.lane, chunk, value, &times, error)));
  s->fetched++;
  RH_TRY(s->spec.take(s->spec.user, s->spec.lane, slot, value, &times, error));
  rh_deal_done(s->spec.deal, s->spec.hand, slot->index, slot->n);
  free(slot->note);
  slot->note = NULL;
  rh_ring_give_back(s->ring, slot);
  return RH_OK;
}

static int may_send(const rh_streamer *s) {
  return s->sent - s->run < RH_STREAMER_AHEAD && s->sent - s->fetched < MOST_IN_FLIGHT;
}

/* 1: a chunk can be sent without waiting.  While nothing is ready, the first of two is awaited: a
 * chunk that is read, or the value of one that is on its way.  A thread that waited for the value
 * alone would leave the device's copies idle. */
static int is_sendable(rh_streamer *s) {
  const double glance_s = 50e-6;
  if (s->sent == s->fetched || rh_ring_is_ready(s->ring)) return 1;
  if (s->run < s->sent) return 0;
  while (!rh_lane_is_done(chunk_of(s, s->fetched)))
    if (rh_ring_await(s->ring, glance_s)) return 1;
  return 0;
}

rh_status rh_streamer_run(rh_streamer *s, rh_error *error) {
  int is_over = 0;
  while (!is_over || s->fetched < s->sent) {
    while (!is_over && may_send(s) && is_sendable(s)) RH_TRY(send_next(s, &is_over, error));
    if (s->run < s->sent) RH_TRY(run_next(s, error));
    if (s->fetched < s->run && (s->run - s->fetched == RH_STREAMER_AHEAD || s->run == s->sent))
      RH_TRY(fetch_next(s, error));
  }
  return RH_OK;
}

/* The device may still be reading slots. */
void rh_streamer_finish(rh_streamer *s) {
  rh_lane *lane = s->spec.lane;
  if (lane && lane->road.copies) clFinish(lane->road.copies);
  if (lane && lane->road.session) clFinish(lane->road.session->queue);
  for (; s->fetched < s->sent; s->fetched++) rh_lane_drop(chunk_of(s, s->fetched));
  rh_ring_destroy(s->ring);
  *s = (rh_streamer){0};
}
