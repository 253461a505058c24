#include "streamer.h"
#include "../../core/base/error.h"
#include "../../core/cl/commands.h"

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
  return s->spec.look(s->spec.user, s->spec.place, slot, error);
}

rh_status rh_streamer_begin(rh_streamer *s, const rh_streamer_spec *spec, rh_error *error) {
  const rh_place *place = spec->place;
  *s = (rh_streamer){.spec = *spec};
  const rh_ring_spec ring = {.schedule = spec->schedule,
                             .worker = spec->worker,
                             .n_slots = place->staging->slots.n,
                             .n_readers = spec->n_readers,
                             .piece_n = spec->piece_n,
                             .n_checkers = spec->n_checkers,
                             .memory = place->staging->slots.memory,
                             .offsets = place->offsets,
                             .views = !place->job.device,
                             .check = check,
                             .user = s,
                             .reporter = spec->reporter};
  rh_view_guard_again();
  return rh_ring_create(&s->ring, &ring, error);
}

/* ---- Chunks, from the ring through the place ---- */

static rh_place_chunk *chunk_of(rh_streamer *s, uint64_t k) {
  return &s->chunks[k % MOST_IN_FLIGHT];
}

static rh_status of_place(rh_streamer *s, rh_status status) {
  s->place_failed = status != RH_OK;
  return status;
}

static rh_status send_next(rh_streamer *s, int *is_over, rh_error *error) {
  rh_place_chunk *chunk = chunk_of(s, s->sent);
  rh_ring_slot *slot;
  RH_TRY(rh_ring_take(s->ring, &slot, error));
  *is_over = !slot;
  if (!slot) return RH_OK;
  *chunk = (rh_place_chunk){.slot = slot};
  s->sent++;
  if (s->spec.looks_itself) RH_TRY(s->spec.look(s->spec.user, s->spec.place, slot, error));
  return of_place(s, rh_place_send(s->spec.place, chunk, error));
}

static rh_status run_next(rh_streamer *s, rh_error *error) {
  RH_TRY(of_place(s, rh_place_run(s->spec.place, chunk_of(s, s->run), error)));
  s->run++;
  return RH_OK;
}

static rh_status fetch_next(rh_streamer *s, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  rh_place_chunk *chunk = chunk_of(s, s->fetched);
  rh_ring_slot *slot = chunk->slot;
  rh_chunk_times times;
  RH_TRY(of_place(s, rh_place_fetch(s->spec.place, chunk, value, &times, error)));
  s->fetched++;
  RH_TRY(s->spec.take(s->spec.user, s->spec.place, slot, value, &times, error));
  rh_schedule_done(s->spec.schedule, s->spec.worker, slot->index, slot->n);
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
  while (!rh_place_is_done(chunk_of(s, s->fetched)))
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
  rh_place *place = s->spec.place;
  const rh_staging *staging = place ? place->staging : NULL;
  if (staging && staging->copies) rh_cl_finish(staging->copies);
  if (staging && staging->session) rh_cl_finish(staging->session->queue);
  for (; s->fetched < s->sent; s->fetched++) rh_place_drop(chunk_of(s, s->fetched));
  rh_ring_destroy(s->ring);
  *s = (rh_streamer){0};
}
