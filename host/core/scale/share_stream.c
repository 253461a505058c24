#include "share_stream.h"
#include "../base/error.h"
#include "stream_device.h"
#include "streamer.h"

#include <stdlib.h>
#include <string.h>

struct rh_share_stream {
  const rh_share_spec *spec;
  const rh_share_source *from;
  rh_share *part;
  uint32_t level; /* a chunk has 2^level tiles */
  rh_stream_device device;
  rh_checks checks; /* for its references */
  rh_deal deal;
  rh_streamer streamer;
};

/* ---- Chunks ---- */

/* As large as suits the device, and the part begins and ends with one; but the last of all may be
 * short. */
static uint32_t level_of(const rh_share_stream *w) {
  const rh_share_spec *spec = w->spec;
  uint64_t tile = rh_share_tile(spec->job), end = spec->first_tile + spec->tiles;
  int check = spec->checks ? RH_CHECK_FULL : RH_CHECK_NONE;
  uint64_t suits = rh_stream_chunk_n(&w->device, 1, w->from->processes, w->from->source, check,
                                     w->from->chunk_bytes) /
                   tile;
  uint64_t meets = spec->first_tile | (end * tile >= spec->job->n ? 0 : end);
  uint32_t level = 0;
  while ((UINT64_C(2) << level) <= suits && (meets >> level & 1) == 0) level++;
  return level;
}

static rh_status look_at(void *of_stream, const rh_lane *lane, rh_ring_slot *slot,
                         rh_error *error) {
  const rh_share_stream *w = of_stream;
  (void)lane;
  if (!w->spec->checks) return RH_OK;
  rh_reference *reference = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *reference);
  if (!reference) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  return rh_checks_refer(&w->checks, slot->operands, slot->first, slot->n, reference, error);
}

static rh_status take_value(void *of_stream, const rh_lane *lane, const rh_ring_slot *slot,
                            const void *value, const rh_chunk_times *times, rh_error *error) {
  const rh_share_stream *w = of_stream;
  _Alignas(16) unsigned char own[RH_ANY_VALUE_BYTES];
  (void)times;
  if (w->from->stop && atomic_load(w->from->stop))
    return rh_fail(error, RH_E_CANCELLED, "another rank has failed");
  memcpy(own, value, w->part->fold.op->value_size);
  rh_status status = rh_share_add(w->part, w->spec->job, &lane->job, slot->index << w->level,
                                  w->level, slot->operands, slot->note, own, error);
  /* The strategy and the reference may see different bytes of a view, if its file changes. */
  if (status == RH_E_WRONG) RH_TRY(rh_source_check_unchanged(w->from->source, error));
  return status;
}

/* ---- The part ---- */

static rh_status set_up(rh_share_stream *w, rh_error *error) {
  const rh_share_spec *spec = w->spec;
  const rh_source *source = w->from->source;
  uint64_t chunk_n = rh_share_tile(spec->job) << w->level;
  uint64_t chunks =
      (spec->tiles >> w->level) + ((spec->tiles & ((UINT64_C(1) << w->level) - 1)) != 0);
  RH_TRY(rh_stream_devices_set_up(&w->device, 1, rh_stream_processors(w->from->processes), source,
                                  chunk_n, spec->checks ? RH_CHECK_FULL : RH_CHECK_NONE, error));
  rh_share_name(w->part, &w->device.lane.job);
  RH_TRY(rh_deal_init(&w->deal, source, chunk_n, 1, error));
  rh_deal_only(&w->deal, spec->first_tile >> w->level, (spec->first_tile >> w->level) + chunks);
  return RH_OK;
}

rh_status rh_share_stream_open(rh_share_stream **stream, rh_share *part, const rh_share_spec *spec,
                               const rh_share_source *from, rh_error *error) {
  rh_share_stream *w = *stream = calloc(1, sizeof *w);
  if (!w) return rh_fail(error, RH_E_NOMEM, "no memory for a stream");
  *w = (rh_share_stream){.spec = spec,
                         .from = from,
                         .part = part,
                         .device = {.context = spec->context, .job = spec->job}};
  rh_share_begin(part, spec->job);
  part->may_change = rh_source_is_viewed(from->source);
  if (spec->tiles == 0) return RH_OK;
  rh_job_spec chunk = *spec->job;
  chunk.n = 1; /* only chunks have to fit */
  RH_TRY(rh_job_device(spec->context, &chunk, from->device_kinds, &w->device.device, error));
  rh_checks_init(&w->checks, RH_CHECK_FULL, spec->job, spec->job->n);
  w->level = level_of(w);
  return set_up(w, error);
}

rh_status rh_share_stream_run(rh_share_stream *w, rh_error *error) {
  const rh_streamer_spec spec = {.lane = &w->device.lane,
                                 .deal = &w->deal,
                                 .n_readers = w->device.readers,
                                 .n_checkers = w->device.checkers,
                                 .piece_n = w->device.piece_n,
                                 .look = look_at,
                                 .looks_itself = rh_stream_looks_itself(w->spec->job),
                                 .take = take_value,
                                 .user = w,
                                 .reporter = &w->spec->context->options.reporter};
  if (w->spec->tiles == 0) return RH_OK;
  RH_TRY(rh_streamer_begin(&w->streamer, &spec, error));
  return rh_streamer_run(&w->streamer, error);
}

void rh_share_stream_close(rh_share_stream *w) {
  if (!w) return;
  rh_streamer_finish(&w->streamer);
  rh_deal_finish(&w->deal);
  rh_lane_finish(&w->device.lane);
  rh_checks_finish(&w->checks);
  free(w);
}
