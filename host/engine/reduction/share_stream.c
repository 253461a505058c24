#include "share_stream.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/run/operand_data.h"
#include "split.h"
#include "stream_device.h"
#include "streamer.h"

#include <stdlib.h>
#include <string.h>

struct rh_share_stream {
  const rh_share *share;
  rh_partial *partial;
  uint64_t tile, begin, end; /* tiles that are reduced: begin .. end-1 */
  uint32_t most_level;       /* a chunk has 2^level tiles, at most */
  uint32_t level;            /* of those that are reduced now */
  rh_stream_device device;
  /* Not on the stack: a strategy may end its thread, which threads of the ring survive. */
  rh_streamer streamer;
  rh_deal deal;
};

/* ---- Chunks ---- */

static rh_status look_at(void *of_stream, const rh_lane *lane, rh_ring_slot *slot,
                         rh_error *error) {
  const rh_share_stream *w = of_stream;
  (void)lane;
  if (!rh_partial_wants(w->partial, slot->index)) return RH_OK;
  rh_reference *reference = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *reference);
  if (!reference) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  return rh_partial_refer(w->partial, slot->operands, slot->first, slot->n, 1, reference, error);
}

static rh_status take_value(void *of_stream, const rh_lane *lane, const rh_ring_slot *slot,
                            const void *value, const rh_chunk_times *times, rh_error *error) {
  const rh_share_stream *w = of_stream;
  const rh_source *source = w->share->source;
  const rh_partial_chunk chunk = {.first = slot->first,
                                  .n = slot->n,
                                  .level = w->level,
                                  .operands = slot->operands,
                                  .may_change = rh_source_is_viewed(source),
                                  .reference = slot->note,
                                  .value = value};
  (void)times;
  if (w->share->stop && atomic_load(w->share->stop))
    return rh_fail(error, RH_E_CANCELLED, "another rank has failed");
  rh_status status = rh_partial_add(w->partial, &lane->job, &chunk, error);
  /* The strategy and the reference may see different bytes of a view, if its file changes. */
  if (status == RH_E_WRONG) RH_TRY(rh_source_check_unchanged(source, error));
  return status;
}

static void finish_chunks(rh_share_stream *w) {
  rh_streamer_finish(&w->streamer);
  rh_deal_finish(&w->deal);
}

/* `count` chunks of the level from tile `at` on. */
static rh_status reduce_chunks(rh_share_stream *w, uint64_t at, uint64_t count, rh_error *error) {
  const rh_streamer_spec spec = {.lane = &w->device.lane,
                                 .deal = &w->deal,
                                 .n_readers = w->device.readers,
                                 .n_checkers = w->device.checkers,
                                 .piece_n = w->device.piece_n,
                                 .look = look_at,
                                 .looks_itself = rh_stream_looks_itself(w->share->job),
                                 .take = take_value,
                                 .user = w,
                                 .reporter = &w->share->context->options.reporter};
  RH_TRY(rh_deal_init(&w->deal, w->share->source, w->tile << w->level, 1, error));
  if (w->deal.n > w->share->first + w->share->n) w->deal.n = w->share->first + w->share->n;
  rh_deal_only(&w->deal, at >> w->level, (at >> w->level) + count);
  rh_status status = rh_streamer_begin(&w->streamer, &spec, error);
  if (status == RH_OK) status = rh_streamer_run(&w->streamer, error);
  finish_chunks(w);
  return status;
}

/* Small ones lead to the first that is aligned to the most, and from the last of these to the end,
 * unless that is the end of all. */
static rh_status reduce_tiles(rh_share_stream *w, rh_error *error) {
  uint64_t all = w->share->first + w->share->n == w->share->whole_n ? w->end : UINT64_MAX;
  for (uint64_t at = w->begin, count; at < w->end; at += count << w->level) {
    uint64_t left = w->end - at;
    w->level = rh_split_level(at, w->end, all);
    if (w->level >= w->most_level) w->level = w->most_level;
    count = 1;
    if (w->level == w->most_level) {
      count = left >> w->level;
      if (all == w->end) count += (count << w->level) < left; /* the last one is not whole */
    }
    RH_TRY(reduce_chunks(w, at, count, error));
  }
  return RH_OK;
}

/* ---- Elements of tiles that are not whole ---- */

static rh_status read_edge(const rh_share_stream *w, uint64_t first, uint64_t n, rh_error *error) {
  const rh_source *source = w->share->source;
  const void *operands[RH_MOST_OPERANDS];
  void *memory[RH_MOST_OPERANDS] = {0};
  static const atomic_int goes_on;
  rh_status status = RH_OK;
  uint64_t got;
  for (uint32_t k = 0; k < source->n_operands && status == RH_OK && n; k++) {
    operands[k] = memory[k] = malloc(n * rh_type_size(source->types[k]));
    status = memory[k] ? source->read(source, k, first, n, memory[k], &goes_on, &got, error)
                       : rh_fail(error, RH_E_NOMEM, "no memory for the elements of a tile");
  }
  if (status == RH_OK && n) status = rh_partial_add_edge(w->partial, first, n, operands, error);
  for (uint32_t k = 0; k < source->n_operands; k++) free(memory[k]);
  return status;
}

static rh_status read_edges(const rh_share_stream *w, rh_error *error) {
  const rh_share *share = w->share;
  uint64_t begin = w->begin * w->tile, end = w->end * w->tile, stop = share->first + share->n;
  if (w->begin >= w->end) return read_edge(w, share->first, share->n, error);
  RH_TRY(read_edge(w, share->first, begin - share->first, error));
  return end < stop ? read_edge(w, end, stop - end, error) : RH_OK;
}

/* ---- The part ---- */

static void find_tiles(rh_share_stream *w) {
  const rh_share *share = w->share;
  uint64_t stop = share->first + share->n, end = stop / w->tile;
  w->begin = share->first / w->tile + (share->first % w->tile != 0);
  if (stop == share->whole_n && stop % w->tile) end++;
  w->end = end > w->begin && share->n ? end : w->begin;
}

/* As large as suits the device.  Where the part neither begins nor ends with a chunk, some are
 * smaller, so there are to be many others; else it has chunks of one size, where that is not too
 * small. */
static uint32_t level_of(const rh_share_stream *w, uint64_t suits) {
  enum { MANY = 32 };
  const rh_share *share = w->share;
  uint64_t tiles = w->end - w->begin;
  uint64_t meets = w->begin | (share->first + share->n == share->whole_n ? 0 : w->end);
  uint32_t level = 0;
  while (UINT64_C(2) << level <= suits &&
         ((meets & ((UINT64_C(2) << level) - 1)) == 0 || tiles >> level > MANY))
    level++;
  return level;
}

static rh_status set_up(rh_share_stream *w, rh_error *error) {
  const rh_share *share = w->share;
  uint64_t suits = rh_stream_chunk_n(&w->device, 1, share->processes, share->source,
                                     (int)share->check, share->chunk_bytes) /
                   w->tile;
  w->most_level = level_of(w, suits);
  return rh_stream_devices_set_up(&w->device, 1, rh_stream_processors(share->processes),
                                  share->source, w->tile << w->most_level, (int)share->check,
                                  error);
}

rh_status rh_share_stream_open(rh_share_stream **stream, rh_partial *partial, const rh_share *share,
                               rh_error *error) {
  rh_share_stream *w = *stream = calloc(1, sizeof *w);
  if (!w) return rh_fail(error, RH_E_NOMEM, "no memory for a stream");
  *w = (rh_share_stream){.share = share,
                         .partial = partial,
                         .tile = rh_partial_tile(share->job),
                         .device = {.context = share->context, .job = share->job}};
  rh_partial_init(partial, share->job, share->whole_n, share->check);
  find_tiles(w);
  if (w->begin >= w->end) return RH_OK;
  rh_job_spec chunk = *share->job;
  chunk.operation.n = 1; /* only chunks have to fit */
  RH_TRY(rh_job_device(share->context, &chunk, share->device_kinds, &w->device.device, error));
  RH_TRY(set_up(w, error));
  w->device.lane.whole_n = share->whole_n;
  return RH_OK;
}

const rh_cl_device *rh_share_stream_device(const rh_share_stream *w) {
  return w ? w->device.device : NULL;
}

rh_status rh_share_stream_run(rh_share_stream *w, rh_error *error) {
  RH_TRY(reduce_tiles(w, error));
  return read_edges(w, error);
}

void rh_share_stream_close(rh_share_stream *w) {
  if (!w) return;
  finish_chunks(w);
  rh_lane_finish(&w->device.lane);
  free(w);
}
