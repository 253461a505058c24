#include "share_arrays.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/vocabulary.h"
#include "../reduce/operand_data.h"
#include "../reduce/self_test.h"

#include <stdlib.h>
#include <string.h>

enum {
  /* Levels of chunks, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache, and 32 MiB are
   * long compared with what a copy to a device costs. */
  HOST_LEVEL = 11,
  DEVICE_LEVEL = 14
};

typedef struct worker {
  const rh_share_spec *spec;
  const rh_share_arrays *from;
  rh_share *part;
  uint64_t tile;                      /* elements */
  const void *view[RH_MOST_OPERANDS]; /* of the chunk: where its operands are */
} worker;

/* A chunk of the ring has 2^level tiles. */
static uint32_t ring_level(const worker *w) {
  uint64_t tiles = w->from->kept->ring->lane.chunk_n / w->tile;
  uint32_t level = 0;
  while (UINT64_C(2) << level <= tiles) level++;
  return level;
}

/* ---- The elements of a chunk, where they are ---- */

static int is_seam(const worker *w, uint64_t tile) {
  return w->from->seam && tile == w->spec->first_tile + w->spec->tiles - 1;
}

static rh_status place_chunk(worker *w, uint64_t first, uint64_t n, rh_data *data,
                             rh_error *error) {
  const rh_job_spec *job = w->spec->job;
  const rh_share_arrays *from = w->from;
  for (uint32_t k = 0; k < job->op->n_operands; k++) {
    uint64_t size = rh_type_size(job->op->operands[k].type);
    w->view[k] = is_seam(w, first / w->tile)
                     ? from->seam[k]
                     : (const char *)from->arrays[k] + (first - from->first_element) * size;
  }
  RH_TRY(rh_kept_place(w->from->redhost, from->kept, w->view, n, data, error));
  if (!data->operands) return RH_OK;
  data->operands->whole_n = job->n;
  rh_operator_set_base(from->kept->job.spec.op, data->operands->constants, first);
  return RH_OK;
}

/* ---- Checking a chunk ---- */

static rh_status refer(const worker *w, uint64_t first, uint64_t n, rh_reference *reference,
                       rh_error *error) {
  static const rh_reporter silent = {0};
  const rh_job_part elements = {w->view, first, n, w->spec->job->n, 0, 1};
  return rh_job_reference_of(w->spec->job, &elements, &silent, reference, error);
}

/* ---- Chunks ---- */

static rh_status reduce_chunk(worker *w, uint64_t tile, uint32_t level, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  const rh_job *job = rh_kept_working(w->from->kept);
  uint64_t whole = w->spec->job->n, first = tile * w->tile, n = w->tile << level;
  rh_reference reference;
  rh_data data;
  if (n > whole - first) n = whole - first;
  RH_TRY(place_chunk(w, first, n, &data, error));
  if (w->spec->checks) RH_TRY(refer(w, first, n, &reference, error));
  RH_TRY(rh_instance_call(job->instance, &data, n, value, error));
  return rh_share_add(w->part, w->spec->job, job, tile, level, w->view,
                      w->spec->checks ? &reference : NULL, value, error);
}

/* ---- Chunks through a ring ---- */

static rh_status look_at(void *of_worker, const rh_lane *lane, rh_ring_slot *slot,
                         rh_error *error) {
  worker *w = of_worker;
  if (!w->spec->checks) return RH_OK;
  rh_reference *reference = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *reference);
  if (!reference) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  for (uint32_t k = 0; k < w->spec->job->op->n_operands; k++)
    w->view[k] = (const char *)slot->memory + lane->offsets[k];
  return refer(w, slot->first, slot->n, reference, error);
}

static rh_status take_value(void *of_worker, const rh_lane *lane, const rh_ring_slot *slot,
                            const void *value, const rh_chunk_times *times, rh_error *error) {
  const worker *w = of_worker;
  _Alignas(16) unsigned char own[RH_ANY_VALUE_BYTES];
  uint32_t level = ring_level(w);
  (void)times;
  memcpy(own, value, w->part->fold.op->value_size);
  return rh_share_add(w->part, w->spec->job, &lane->job, slot->index << level, level,
                      slot->operands, slot->note, own, error);
}

/* *at: a multiple of a chunk of the ring; as many of these as there are. */
static rh_status reduce_chunks(worker *w, uint64_t at, uint64_t chunks, rh_error *error) {
  const rh_array_run run = {.arrays = w->from->arrays,
                            .arrays_first = w->from->first_element,
                            .n = w->spec->job->n,
                            .first = at >> ring_level(w),
                            .end = (at >> ring_level(w)) + chunks,
                            .look = look_at,
                            .take = take_value,
                            .user = w};
  return rh_kept_stream(w->from->redhost, w->from->kept, &run, error);
}

/* How many chunks of the ring are between tile `at` and tile at + run; 0: other ones begin here. */
static uint64_t count_chunks(const worker *w, uint64_t at, uint64_t run) {
  if (!w->from->kept || !w->from->kept->ring) return 0;
  uint32_t level = ring_level(w);
  return at & ((UINT64_C(1) << level) - 1) ? 0 : run >> level;
}

/* ---- The part ---- */

/* What is in memory and read once fits no cache anyway.  Before the first chunk of a ring, they
 * lead to it. */
static uint32_t most_level(const worker *w) {
  const rh_kept_job *kept = w->from->kept;
  if (kept->ring) return ring_level(w);
  return kept->job.device || !w->spec->checks ? DEVICE_LEVEL : HOST_LEVEL;
}

static rh_status reduce_next(worker *w, uint64_t *at, rh_error *error) {
  uint64_t end = w->spec->first_tile + w->spec->tiles;
  uint64_t run = w->from->seam && *at < end - 1 ? end - 1 - *at : end - *at;
  uint64_t chunks = count_chunks(w, *at, run);
  if (chunks) {
    RH_TRY(reduce_chunks(w, *at, chunks, error));
    *at += chunks << ring_level(w);
    return RH_OK;
  }
  uint32_t level = rh_fold_level(*at, run, most_level(w));
  RH_TRY(reduce_chunk(w, *at, level, error));
  *at += UINT64_C(1) << level;
  return RH_OK;
}

rh_status rh_share_reduce(rh_share *part, const rh_share_spec *spec, const rh_share_arrays *arrays,
                          rh_error *error) {
  worker w = {.spec = spec, .from = arrays, .part = part, .tile = rh_share_tile(spec->job)};
  const rh_reporter *reporter = &spec->context->options.reporter;
  uint64_t at = spec->first_tile, end = at + spec->tiles;
  rh_share_begin(part, spec->job);
  part->may_change = 1;
  if (at < end) rh_share_name(part, rh_kept_working(arrays->kept));
  while (at < end) {
    RH_TRY(rh_progress(reporter, "reducing", at - spec->first_tile, spec->tiles, error));
    RH_TRY(reduce_next(&w, &at, error));
  }
  return RH_OK;
}
