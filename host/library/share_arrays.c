#include "share_arrays.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "../core/base/vocabulary.h"
#include "../core/run/operand_data.h"
#include "../core/run/self_test.h"
#include "../engine/partial/accuracy.h"
#include "../operators/custom/by_code.h"

#include <stdlib.h>
#include <string.h>

enum {
  /* Levels of chunks, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache, and 32 MiB are
   * long compared with what a copy to a device costs. */
  HOST_LEVEL = 11,
  DEVICE_LEVEL = 14
};

typedef struct worker {
  const rh_share_arrays *from;
  rh_partial *partial;
  const rh_job_spec *job;
  uint64_t tile;                      /* elements */
  const void *view[RH_MOST_OPERANDS]; /* of the chunk: where its operands are */
} worker;

/* ---- What is asked for ---- */

static rh_status check(rh_share_request *asked, rh_error *error) {
  rh_request_data(&asked->request, asked->data);
  return rh_request_check(&asked->request, &asked->job, asked->data, error);
}

rh_status rh_share_ask(rh_share_request *asked, rh_redhost *redhost, const rh_request *request,
                       rh_error *error) {
  RH_TRY(rh_sized_read(&asked->request, request, RH_SIZED(rh_request, n_settings), error));
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status =
      rh_request_name(&asked->request, redhost->context, &asked->job, &asked->own, error);
  rh_redhost_leave(redhost);
  RH_TRY(status);
  if (asked->own) rh_custom_take_base(asked->own);
  RH_TRY(check(asked, error));
  if (asked->request.accuracy) RH_TRY(rh_accuracy_ask(&asked->job, asked->own, error));
  RH_TRY(rh_redhost_enter(redhost, error));
  status = rh_by_code_prepare(asked->job.operation.op, redhost->context, error);
  rh_redhost_leave(redhost);
  return status;
}

/* ---- How much at once ---- */

uint64_t rh_share_chunk(const rh_job_spec *job, uint64_t n) {
  uint64_t most = rh_partial_tile(job) << DEVICE_LEVEL;
  return n < most ? n : most;
}

/* A chunk of the ring has 2^level tiles. */
static uint32_t ring_level(const worker *w) {
  uint64_t tiles = w->from->kept->ring->lane.chunk_n / w->tile;
  uint32_t level = 0;
  while (UINT64_C(2) << level <= tiles) level++;
  return level;
}

/* ---- The elements of a chunk, where they are ---- */

static rh_status place_chunk(worker *w, uint64_t first, uint64_t n, rh_data *data,
                             rh_error *error) {
  const rh_share_arrays *from = w->from;
  for (uint32_t k = 0; k < w->job->operation.op->n_operands; k++) {
    uint64_t size = rh_type_size(w->job->operation.op->operands[k].type);
    w->view[k] = (const char *)from->arrays[k] + (first - from->first_element) * size;
  }
  RH_TRY(rh_kept_place(from->redhost, from->kept, w->view, n, data, error));
  if (!data->operands) return RH_OK;
  data->operands->whole_n = w->partial->whole_n;
  rh_operator_set_base(from->kept->job.spec.operation.op, data->operands->constants, first);
  return RH_OK;
}

/* ---- Chunks ---- */

static rh_status reduce_chunk(worker *w, uint64_t first, uint64_t n, uint32_t level,
                              rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  const rh_job *job = rh_kept_working(w->from->kept);
  int checks = w->partial->check == RH_CHECK_FULL;
  rh_reference reference;
  rh_data data;
  RH_TRY(place_chunk(w, first, n, &data, error));
  if (checks) RH_TRY(rh_partial_refer(w->partial, w->view, first, n, 0, &reference, error));
  RH_TRY(rh_instance_call(job->instance, &data, n, value, error));
  const rh_partial_chunk chunk = {.first = first,
                                  .n = n,
                                  .level = level,
                                  .operands = w->view,
                                  .may_change = 1,
                                  .reference = checks ? &reference : NULL,
                                  .value = value};
  return rh_partial_add(w->partial, job, &chunk, error);
}

/* ---- Chunks through a ring ---- */

static rh_status look_at(void *of_worker, const rh_lane *lane, rh_ring_slot *slot,
                         rh_error *error) {
  worker *w = of_worker;
  if (w->partial->check != RH_CHECK_FULL) return RH_OK;
  rh_reference *reference = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *reference);
  if (!reference) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  for (uint32_t k = 0; k < w->job->operation.op->n_operands; k++)
    w->view[k] = (const char *)slot->memory + lane->offsets[k];
  return rh_partial_refer(w->partial, w->view, slot->first, slot->n, 0, reference, error);
}

static rh_status take_value(void *of_worker, const rh_lane *lane, const rh_ring_slot *slot,
                            const void *value, const rh_chunk_times *times, rh_error *error) {
  const worker *w = of_worker;
  const rh_partial_chunk chunk = {.first = slot->first,
                                  .n = slot->n,
                                  .level = ring_level(w),
                                  .operands = slot->operands,
                                  .may_change = 1,
                                  .reference = slot->note,
                                  .value = value};
  (void)times;
  return rh_partial_add(w->partial, &lane->job, &chunk, error);
}

/* *at: a multiple of a chunk of the ring; as many of these as there are. */
static rh_status reduce_chunks(worker *w, uint64_t at, uint64_t chunks, rh_error *error) {
  const rh_array_run run = {.arrays = w->from->arrays,
                            .arrays_first = w->from->first_element,
                            .n = w->partial->whole_n,
                            .first = at >> ring_level(w),
                            .end = (at >> ring_level(w)) + chunks,
                            .look = look_at,
                            .take = take_value,
                            .user = w};
  return rh_kept_stream(w->from->redhost, w->from->kept, &run, error);
}

/* How many chunks of the ring are between tile `at` and tile at + run; 0: other ones begin here. */
static uint64_t count_chunks(const worker *w, uint64_t at, uint64_t run) {
  if (!w->from->kept->ring) return 0;
  uint32_t level = ring_level(w);
  return at & ((UINT64_C(1) << level) - 1) ? 0 : run >> level;
}

/* ---- The part ---- */

/* What is in memory and read once fits no cache anyway.  Before the first chunk of a ring, they
 * lead to it. */
static uint32_t most_level(const worker *w) {
  const rh_kept_job *kept = w->from->kept;
  if (kept->ring) return ring_level(w);
  return kept->job.device || w->partial->check != RH_CHECK_FULL ? DEVICE_LEVEL : HOST_LEVEL;
}

static rh_status reduce_next(worker *w, uint64_t *at, uint64_t end, uint64_t stop,
                             rh_error *error) {
  uint64_t first = *at * w->tile, run = end - *at, chunks = count_chunks(w, *at, run);
  if (chunks) {
    RH_TRY(reduce_chunks(w, *at, chunks, error));
    *at += chunks << ring_level(w);
    return RH_OK;
  }
  uint32_t level = rh_fold_level(*at, run, most_level(w));
  uint64_t n = w->tile << level;
  RH_TRY(reduce_chunk(w, first, n < stop - first ? n : stop - first, level, error));
  *at += UINT64_C(1) << level;
  return RH_OK;
}

rh_status rh_share_reduce(rh_partial *partial, const rh_share_arrays *arrays, uint64_t first,
                          uint64_t n, rh_error *error) {
  worker w = {.from = arrays,
              .partial = partial,
              .job = partial->job,
              .tile = rh_partial_tile(partial->job)};
  const rh_reporter *reporter = &arrays->redhost->context->options.reporter;
  uint64_t begin = first / w.tile, end = begin + n / w.tile + (n % w.tile != 0);
  for (uint64_t at = begin; at < end;) {
    RH_TRY(rh_progress(reporter, "reducing", at - begin, end - begin, error));
    RH_TRY(reduce_next(&w, &at, end, first + n, error));
  }
  return RH_OK;
}
