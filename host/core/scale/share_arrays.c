#include "share_arrays.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/vocabulary.h"
#include "../reduce/operand_data.h"
#include "../reduce/self_test.h"

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

/* ---- The elements of a chunk, where they are ---- */

static int is_seam(const worker *w, uint64_t tile) {
  return w->from->seam && tile == w->spec->first_tile + w->spec->tiles - 1;
}

static rh_status place_chunk(worker *w, uint64_t first, uint64_t n, rh_data *data,
                             rh_error *error) {
  const rh_job_spec *job = w->spec->job;
  const rh_share_arrays *from = w->from;
  for (uint32_t k = 0; k < rh_job_operands(job); k++) {
    uint64_t size = rh_type_size(rh_job_operand_type(job, k));
    w->view[k] = is_seam(w, first / w->tile)
                     ? from->seam[k]
                     : (const char *)from->arrays[k] + (first - from->first_element) * size;
  }
  RH_TRY(rh_kept_place(w->spec->redhost, from->kept, w->view, n, data, error));
  if (!data->operands) return RH_OK;
  data->operands->whole_n = job->n;
  rh_operator_set_base(from->kept->job.spec.custom, data->operands->constants, first);
  return RH_OK;
}

/* ---- Checking a chunk ---- */

static rh_status refer(const worker *w, uint64_t first, uint64_t n, rh_reference *reference,
                       rh_error *error) {
  static const rh_reporter silent = {0};
  const rh_job_spec *job = w->spec->job;
  uint64_t constants[RH_MOST_CONSTANT_WORDS] = {0};
  rh_arrays arrays = {.constants = constants};
  if (!job->custom)
    return rh_reference_compute(reference, job->op, job->type, w->view[0], n, 0, &silent, error);
  memcpy(arrays.operands, w->view, job->custom->n_operands * sizeof *w->view);
  rh_operator_bind(job->custom, job->n, constants);
  rh_operator_set_base(job->custom, constants, first);
  return rh_reference_compute_custom(reference, job->custom, &arrays, n, 0, &silent, error);
}

/* ---- Chunks ---- */

static rh_status reduce_chunk(worker *w, uint64_t tile, uint32_t level, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  const rh_job *job = &w->from->kept->job;
  uint64_t whole = w->spec->job->n, first = tile * w->tile, n = w->tile << level;
  rh_reference reference;
  rh_data data;
  if (n > whole - first) n = whole - first;
  RH_TRY(place_chunk(w, first, n, &data, error));
  if (w->spec->checks) RH_TRY(refer(w, first, n, &reference, error));
  RH_TRY(rh_instance_call(job->instance, &data, n, value, error));
  return rh_share_add(w->part, w->spec->job, job, tile, level, w->spec->checks ? &reference : NULL,
                      value, error);
}

rh_status rh_share_reduce(rh_share *part, const rh_share_spec *spec, const rh_share_arrays *arrays,
                          rh_error *error) {
  worker w = {.spec = spec, .from = arrays, .part = part, .tile = rh_share_tile(spec->job)};
  const rh_reporter *reporter = &spec->redhost->options.reporter;
  uint64_t at = spec->first_tile, end = at + spec->tiles;
  rh_share_begin(part, spec->job);
  if (at < end) rh_share_name(part, &arrays->kept->job);
  /* What is in memory and read once fits no cache anyway. */
  int is_large = at < end && (arrays->kept->job.device || !spec->checks);
  while (at < end) {
    uint64_t run = arrays->seam && at < end - 1 ? end - 1 - at : end - at;
    uint32_t level = rh_fold_level(at, run, is_large ? DEVICE_LEVEL : HOST_LEVEL);
    RH_TRY(rh_progress(reporter, "reducing", at - spec->first_tile, spec->tiles, error));
    RH_TRY(reduce_chunk(&w, at, level, error));
    at += UINT64_C(1) << level;
  }
  return RH_OK;
}
