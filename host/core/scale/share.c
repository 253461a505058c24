#include "share.h"
#include "../base/error.h"
#include "../base/region.h"
#include "../base/vocabulary.h"
#include "../io/array.h"
#include "../operators/ops.h"
#include "../reduce/operand_data.h"
#include "../reduce/self_test.h"

#include <redhost/canonical.h>

#include <stdio.h>
#include <string.h>

enum {
  /* Levels of chunks, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache, and 32 MiB are
   * long compared with what a copy to a device costs. */
  HOST_LEVEL = 11,
  DEVICE_LEVEL = 14,
  SHARES = 64 /* cuts are as coarse as leaves each rank at least this many pieces */
};

typedef struct worker {
  const rh_share_spec *spec;
  rh_share *part;
  rh_job job;
  rh_region memory; /* of a chunk */
  rh_cl_input input;
  uint64_t tile;                      /* elements */
  const void *view[RH_MOST_OPERANDS]; /* of the chunk: where its operands are */
} worker;

/* ---- Cutting ---- */

const rh_op *rh_share_op(const rh_job_spec *job) {
  return job->custom ? &job->custom->op : rh_op_find(job->op, job->type);
}

static uint64_t tile_of(const rh_job_spec *job) {
  return RH_CANONICAL_TILE_BYTES / rh_share_op(job)->element_size;
}

static uint64_t tiles_of(const rh_job_spec *job) {
  uint64_t tile = tile_of(job);
  return job->n / tile + (job->n % tile != 0);
}

__extension__ typedef unsigned __int128 wide;

static uint64_t cut(uint64_t tiles, uint32_t level, uint32_t rank, uint32_t size) {
  uint64_t grains = (tiles >> level) + ((tiles & ((UINT64_C(1) << level) - 1)) != 0);
  uint64_t at = (uint64_t)((wide)grains * rank / size) << level;
  return at < tiles ? at : tiles;
}

void rh_share_cut(const rh_job_spec *job, uint32_t rank, uint32_t size, uint64_t *first,
                  uint64_t *tiles) {
  uint64_t all = tiles_of(job);
  uint32_t level = 0;
  while (level < DEVICE_LEVEL && (all >> (level + 1)) >= (uint64_t)SHARES * size) level++;
  *first = cut(all, level, rank, size);
  *tiles = cut(all, level, rank + 1, size) - *first;
}

/* ---- The elements of a chunk ---- */

static rh_status read_operand(worker *w, uint32_t k, uint64_t first, uint64_t n, rh_error *error) {
  const rh_share_spec *spec = w->spec;
  void *to = (char *)w->memory.address + w->job.spec.offsets[k];
  rh_type type = rh_job_operand_type(spec->job, k);
  uint64_t got;
  w->view[k] = to;
  if (spec->arrays) {
    uint64_t own = first - spec->first_tile * w->tile, size = rh_type_size(type);
    const char *from = (const char *)spec->arrays[k] + own * size;
    if (w->job.device)
      memcpy(to, from, n * size);
    else
      w->view[k] = from;
    return RH_OK;
  }
  if (spec->feeds) return rh_feed_read(spec->feeds[k], first, n, to, spec->stop, &got, error);
  rh_generate(spec->kind, spec->seed + k, type, spec->job->n, first, n, to);
  return RH_OK;
}

static rh_status bring(worker *w, uint64_t first, uint64_t n, rh_data *data, rh_error *error) {
  rh_job *job = &w->job;
  const rh_operator *custom = job->spec.custom;
  int has_operands = custom && rh_operator_has_operands(custom);
  /* Memory that a device sees must not change under it. */
  if (w->input.in_place) rh_cl_input_finish(&w->input);
  for (uint32_t k = 0; k < rh_job_operands(&job->spec); k++)
    RH_TRY(read_operand(w, k, first, n, error));
  if (job->device)
    RH_TRY(rh_cl_input_renew(&w->input, job->instance_spec.session, w->memory.address, 0,
                             w->memory.bytes, 1, error));
  *data = (rh_data){.buffer = w->input.buffer, .host = w->view[0]};
  if (!has_operands) return RH_OK;
  rh_operands *operands = &job->operands;
  rh_operands_place(operands, custom, job->spec.offsets, w->input.buffer, 0, w->memory.address);
  for (uint32_t k = 0; k < custom->n_operands; k++) operands->arrays.operands[k] = w->view[k];
  operands->whole_n = w->spec->job->n;
  rh_operator_set_base(custom, operands->constants, first);
  data->operands = operands;
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

static rh_status judge_value(worker *w, uint64_t first, const rh_reference *reference,
                             const void *value, rh_error *error) {
  rh_share_check *check = &w->part->check;
  rh_job_spec spec = *w->spec->job;
  rh_result result;
  rh_verdict verdict;
  spec.n = reference->n;
  rh_job_result(&spec, w->part->strategy, value, &result);
  rh_job_judge(&spec, w->job.device, w->job.answer.depth, reference, &result, &verdict);
  if (verdict.verdict == RH_VERDICT_WRONG) {
    rh_redhost_blame(w->spec->redhost, w->part->strategy, w->part->path, spec.op, spec.type,
                     rh_operator_hash(spec.custom), spec.n);
    return rh_fail(error, RH_E_WRONG, "wrong result: '%s' on elements %llu to %llu: %.160s",
                   w->part->strategy, (unsigned long long)first,
                   (unsigned long long)(first + spec.n - 1), verdict.text);
  }
  check->chunks++;
  check->unjudged += verdict.verdict == RH_VERDICT_UNJUDGED;
  rh_exact_sum_merge(&check->sum, &reference->sum);
  rh_exact_prod_merge(&check->prod, &reference->prod);
  return RH_OK;
}

/* ---- A chunk ---- */

static rh_status reduce_chunk(worker *w, uint64_t tile, uint32_t level, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  uint64_t whole = w->spec->job->n, first = tile * w->tile, n = w->tile << level;
  rh_reference reference;
  rh_data data;
  if (n > whole - first) n = whole - first;
  RH_TRY(bring(w, first, n, &data, error));
  if (w->spec->stop && atomic_load(w->spec->stop))
    return rh_fail(error, RH_E_CANCELLED, "another rank has failed");
  if (w->spec->checks) RH_TRY(refer(w, first, n, &reference, error));
  RH_TRY(rh_instance_call(w->job.instance, &data, n, value, error));
  if (w->spec->checks) RH_TRY(judge_value(w, first, &reference, value, error));
  rh_fold_rebase(w->part->fold.op, value, first);
  return rh_fold_add(&w->part->fold, level, tile >> level, value, error);
}

static rh_status reduce_chunks(worker *w, rh_error *error) {
  uint64_t at = w->spec->first_tile, end = at + w->spec->tiles;
  uint32_t most = w->job.device ? DEVICE_LEVEL : HOST_LEVEL;
  while (at < end) {
    uint32_t level = rh_fold_level(at, end - at, most);
    RH_TRY(reduce_chunk(w, at, level, error));
    at += UINT64_C(1) << level;
  }
  return RH_OK;
}

/* ---- The part ---- */

static rh_status set_up(worker *w, rh_error *error) {
  const rh_share_spec *spec = w->spec;
  rh_job_spec own = *spec->job;
  uint64_t most = spec->tiles < 1u << DEVICE_LEVEL ? spec->tiles : 1u << DEVICE_LEVEL;
  own.n = most * w->tile;
  if (own.n > spec->job->n) own.n = spec->job->n;
  uint64_t bytes = rh_operand_layout(&own, own.offsets);
  RH_TRY(rh_region_alloc(&w->memory, bytes, error));
  RH_TRY(rh_job_init(&w->job, spec->redhost, &own, error));
  RH_TRY(rh_job_setup(&w->job, w->memory.address, 0, error));
  rh_cl_input_finish(&w->job.input); /* each chunk is brought by itself */
  w->part->device = w->job.device;
  w->part->check.depth = w->job.answer.depth;
  snprintf(w->part->strategy, sizeof w->part->strategy, "%s", w->job.strategy->name);
  snprintf(w->part->path, sizeof w->part->path, "%s", w->job.path);
  if (!spec->checks) RH_TRY(rh_job_self_test(&w->job, error));
  return rh_job_check_order(&w->job, error);
}

rh_status rh_share_reduce(rh_share *part, const rh_share_spec *spec, rh_error *error) {
  worker w = {.spec = spec, .part = part, .tile = tile_of(spec->job)};
  *part = (rh_share){0};
  rh_exact_prod_init(&part->check.prod);
  rh_fold_init(&part->fold, rh_share_op(spec->job));
  if (spec->tiles == 0) return RH_OK;
  rh_status status = set_up(&w, error);
  if (status == RH_OK) status = reduce_chunks(&w, error);
  if (status != RH_OK && w.job.device && w.job.instance_spec.session)
    clFinish(w.job.instance_spec.session->queue);
  rh_job_finish(&w.job);
  rh_cl_input_finish(&w.input);
  rh_region_finish(&w.memory);
  return status;
}

void rh_share_finish(rh_share *part) {
  rh_fold_finish(&part->fold);
}

/* ---- The whole ---- */

void rh_part_check_add(rh_share_check *check, const rh_share_check *other) {
  check->chunks += other->chunks;
  check->unjudged += other->unjudged;
  if (other->depth > check->depth) check->depth = other->depth;
  rh_exact_sum_merge(&check->sum, &other->sum);
  rh_exact_prod_merge(&check->prod, &other->prod);
}

static int is_struct(const rh_job_spec *job) {
  return job->custom && job->custom->is_struct;
}

/* Sums and products of floats have an exact answer of their own.  Others are what their chunks are:
 * each of these was compared. */
static void refer_whole(const rh_job_spec *job, const rh_share_check *check,
                        const rh_result *result, rh_reference *reference) {
  int rounds = !is_struct(job) && rh_op_rounds(job->op, job->type);
  *reference = (rh_reference){.op = job->op,
                              .type = job->type,
                              .n = job->n,
                              .result = *result,
                              .exact = !rounds,
                              .sum = check->sum,
                              .prod = check->prod};
  if (job->custom && job->custom->load && !is_struct(job))
    reference->map_error = rh_operator_map_error(job->custom);
  if (is_struct(job)) {
    reference->sampled.n = job->custom->n_results;
    reference->sampled.by_device = job->custom->code != NULL;
    reference->sampled.canonical = *result;
  }
  if (!rounds) return;
  int single = result->type == RH_TYPE_f32;
  if (job->op == RH_OP_prod)
    reference->result.value.f =
        single ? (double)rh_exact_prod_float(&check->prod) : rh_exact_prod_double(&check->prod);
  else
    reference->result.value.f =
        single ? (double)rh_exact_sum_float(&check->sum) : rh_exact_sum_double(&check->sum);
}

void rh_share_judge(const rh_job_spec *job, const rh_share_check *check, const rh_cl_device *device,
                    const rh_result *result, rh_reference *reference, rh_verdict *verdict) {
  uint64_t depth = check->depth;
  refer_whole(job, check, result, reference);
  if (is_struct(job) || reference->exact) {
    *verdict = (rh_verdict){.verdict = check->unjudged ? RH_VERDICT_UNJUDGED : RH_VERDICT_OK};
    snprintf(verdict->text, sizeof verdict->text, "%s in each of %llu parts",
             is_struct(job) ? "within its bound" : "equal", (unsigned long long)check->chunks);
    return;
  }
  /* Above the chunks the tree is as deep as there are bits in their number. */
  for (uint64_t chunks = check->chunks; depth && chunks > 1; chunks = (chunks + 1) / 2) depth++;
  if (depth) depth += 8; /* parts that are cut have smaller chunks at their ends */
  rh_job_judge(job, device, depth, reference, result, verdict);
}
