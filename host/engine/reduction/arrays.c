#include "arrays.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/run/operand_data.h"
#include "../partial/fold.h"
#include "streamer.h"

#include <string.h>

/* ---- Which arrays ---- */

int rh_arrays_keep_bits(const rh_job *job) {
  return job->strategy->promises & RH_CANONICAL_ORDER ||
         !rh_op_rounds(job->spec.operation.op->base, job->spec.operation.op->type);
}

/* Without it, every chunk would count from 0. */
static int lacks_base(const rh_operator *op) {
  return op->uses_index && !op->has_base;
}

int rh_arrays_ring(const rh_job *job, uint64_t least) {
  const rh_cl_device *device = job->device;
  uint64_t offsets[RH_MOST_OPERANDS];
  uint32_t size = 0;
  if (!device || lacks_base(job->spec.operation.op)) return 0;
  if (device->about.max_alloc_bytes &&
      rh_operand_layout(&job->spec, offsets) > device->about.max_alloc_bytes)
    return 1;
  for (uint32_t k = 0; k < job->spec.operation.op->n_operands; k++) {
    uint32_t own = rh_type_size(job->spec.operation.op->operands[k].type);
    if (own > size) size = own;
  }
  return !device->shares_memory && job->spec.operation.n > least / size && rh_arrays_keep_bits(job);
}

/* ---- Setting up ---- */

rh_status rh_arrays_open(rh_stream_device *device, uint64_t chunk_bytes, int check,
                         rh_error *error) {
  uint64_t chunk_n = rh_stream_chunk_n(device, 1, 1, NULL, check, chunk_bytes);
  rh_stream_device_plan(device, rh_stream_processors(1), 0, RH_CHECK_NONE, chunk_n);
  return rh_stream_device_open(device, UINT64_MAX, chunk_n, check, error);
}

/* ---- A run of chunks ---- */

static void take_arrays(const rh_job_spec *job, const rh_array_run *arrays, rh_source *source) {
  rh_type types[RH_MOST_OPERANDS];
  uint32_t operands = job->operation.op->n_operands;
  for (uint32_t k = 0; k < operands; k++) types[k] = job->operation.op->operands[k].type;
  rh_source_of_arrays(source, arrays->arrays, arrays->arrays_first, types, operands, arrays->n);
}

rh_status rh_arrays_stream(rh_stream_device *device, const rh_array_run *arrays, rh_error *error) {
  rh_lane *lane = &device->lane;
  rh_streamer streamer;
  rh_source source;
  rh_deal deal;
  const rh_streamer_spec spec = {.lane = lane,
                                 .deal = &deal,
                                 .n_readers = device->readers,
                                 .piece_n = device->piece_n,
                                 .look = arrays->look,
                                 .looks_itself = arrays->look != NULL,
                                 .take = arrays->take,
                                 .user = arrays->user,
                                 .reporter = &device->context->options.reporter};
  take_arrays(&lane->job.spec, arrays, &source);
  lane->whole_n = arrays->n;
  RH_TRY(rh_road_clear(&lane->road, error));
  RH_TRY(rh_deal_init(&deal, &source, lane->chunk_n, 1, error));
  rh_deal_only(&deal, arrays->first, arrays->end);
  rh_status status = rh_streamer_begin(&streamer, &spec, error);
  if (status == RH_OK) status = rh_streamer_run(&streamer, error);
  rh_streamer_finish(&streamer);
  rh_deal_finish(&deal);
  return status;
}

/* ---- The whole ---- */

static rh_status take_value(void *of_fold, const rh_lane *lane, const rh_ring_slot *slot,
                            const void *value, const rh_chunk_times *times, rh_error *error) {
  _Alignas(16) unsigned char own[RH_ANY_VALUE_BYTES];
  rh_fold *fold = of_fold;
  (void)lane;
  (void)times;
  memcpy(own, value, fold->op->value_size);
  rh_fold_rebase(fold->op, own, slot->first);
  return rh_fold_add(fold, 0, slot->index, own, error);
}

static uint64_t depth_of(const rh_lane *lane, uint64_t chunks) {
  uint64_t depth = lane->job.answer.depth;
  for (uint64_t k = 1; depth && k < chunks; k *= 2) depth++;
  return depth;
}

rh_status rh_arrays_reduce(rh_stream_device *device, const void *const *arrays, uint64_t n,
                           void *value, uint64_t *depth, rh_error *error) {
  const rh_lane *lane = &device->lane;
  uint64_t chunks = n / lane->chunk_n + (n % lane->chunk_n != 0);
  rh_fold fold;
  const rh_array_run all = {
      .arrays = arrays, .n = n, .end = chunks, .take = take_value, .user = &fold};
  rh_fold_init(&fold, rh_instance_op(lane->job.instance), 1, 1);
  if (depth) *depth = depth_of(lane, chunks);
  rh_status status = rh_arrays_stream(device, &all, error);
  if (status == RH_OK) status = rh_fold_value(&fold, 0, value, error);
  rh_fold_finish(&fold);
  return status;
}
