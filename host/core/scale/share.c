#include "share.h"
#include "../base/error.h"
#include "../base/log.h"
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
  rh_job own, *job; /* the one that is kept, or its own */
  rh_region memory; /* of a chunk */
  rh_cl_input input;
  uint64_t tile;                      /* elements */
  const void *view[RH_MOST_OPERANDS]; /* of the chunk: where its operands are */
} worker;

/* ---- Cutting ---- */

const rh_op *rh_share_op(const rh_job_spec *job) {
  return job->custom ? &job->custom->op : rh_op_find(job->op, job->type);
}

uint64_t rh_share_tile(const rh_job_spec *job) {
  return RH_CANONICAL_TILE_BYTES / rh_share_op(job)->element_size;
}

uint64_t rh_share_chunk(const rh_job_spec *job, uint64_t tiles) {
  uint64_t most = tiles < 1u << DEVICE_LEVEL ? tiles : 1u << DEVICE_LEVEL;
  uint64_t n = most * rh_share_tile(job);
  return n < job->n ? n : job->n;
}

static uint64_t tiles_of(const rh_job_spec *job) {
  uint64_t tile = rh_share_tile(job);
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
  void *to = (char *)w->memory.address + w->job->spec.offsets[k];
  uint64_t got;
  w->view[k] = to;
  if (spec->feeds) return rh_feed_read(spec->feeds[k], first, n, to, spec->stop, &got, error);
  rh_generate(spec->kind, spec->seed + k, rh_job_operand_type(spec->job, k), spec->job->n, first, n,
              to);
  return RH_OK;
}

static rh_status read_chunk(worker *w, uint64_t first, uint64_t n, rh_data *data, rh_error *error) {
  rh_job *job = w->job;
  const rh_operator *custom = job->spec.custom;
  /* Memory that a device sees must not change under it. */
  if (w->input.in_place) rh_cl_input_finish(&w->input);
  for (uint32_t k = 0; k < rh_job_operands(&job->spec); k++)
    RH_TRY(read_operand(w, k, first, n, error));
  if (job->device)
    RH_TRY(rh_cl_input_renew(&w->input, job->instance_spec.session, w->memory.address, 0,
                             w->memory.bytes, 1, error));
  *data = (rh_data){.buffer = w->input.buffer, .host = w->view[0]};
  if (!custom || !rh_operator_has_operands(custom)) return RH_OK;
  rh_operands *operands = &job->operands;
  rh_operands_place(operands, custom, job->spec.offsets, w->input.buffer, 0, w->memory.address);
  for (uint32_t k = 0; k < custom->n_operands; k++) operands->arrays.operands[k] = w->view[k];
  data->operands = operands;
  return RH_OK;
}

static int is_seam(const rh_share_spec *spec, uint64_t tile) {
  return spec->seam && tile == spec->first_tile + spec->tiles - 1;
}

/* A chunk of arrays is where it is. */
static rh_status place_chunk(worker *w, uint64_t first, uint64_t n, rh_data *data,
                             rh_error *error) {
  const rh_share_spec *spec = w->spec;
  for (uint32_t k = 0; k < rh_job_operands(spec->job); k++) {
    uint64_t size = rh_type_size(rh_job_operand_type(spec->job, k));
    w->view[k] = is_seam(spec, first / w->tile)
                     ? spec->seam[k]
                     : (const char *)spec->arrays[k] + (first - spec->first_element) * size;
  }
  return rh_kept_place(spec->redhost, spec->kept, w->view, n, data, error);
}

static rh_status bring(worker *w, uint64_t first, uint64_t n, rh_data *data, rh_error *error) {
  if (w->spec->kept)
    RH_TRY(place_chunk(w, first, n, data, error));
  else
    RH_TRY(read_chunk(w, first, n, data, error));
  if (!data->operands) return RH_OK;
  data->operands->whole_n = w->spec->job->n;
  rh_operator_set_base(w->job->spec.custom, data->operands->constants, first);
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
  rh_job_judge(&spec, w->job->device, w->job->answer.depth, reference, &result, &verdict);
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
  RH_TRY(rh_instance_call(w->job->instance, &data, n, value, error));
  if (w->spec->checks) RH_TRY(judge_value(w, first, &reference, value, error));
  rh_fold_rebase(w->part->fold.op, value, first);
  return rh_fold_add(&w->part->fold, level, tile >> level, value, error);
}

static rh_status reduce_chunks(worker *w, rh_error *error) {
  const rh_share_spec *spec = w->spec;
  const rh_reporter *reporter = &spec->redhost->options.reporter;
  uint64_t at = spec->first_tile, end = at + spec->tiles;
  /* What is in memory and read once fits no cache anyway. */
  int is_large = w->job->device || (spec->kept && !spec->checks);
  while (at < end) {
    uint64_t run = spec->seam && at < end - 1 ? end - 1 - at : end - at;
    uint32_t level = rh_fold_level(at, run, is_large ? DEVICE_LEVEL : HOST_LEVEL);
    RH_TRY(rh_progress(reporter, "reducing", at - spec->first_tile, spec->tiles, error));
    RH_TRY(reduce_chunk(w, at, level, error));
    at += UINT64_C(1) << level;
  }
  return RH_OK;
}

/* ---- The part ---- */

static rh_status set_up(worker *w, rh_error *error) {
  const rh_share_spec *spec = w->spec;
  rh_job_spec own = *spec->job;
  if (spec->kept) return RH_OK;
  own.n = rh_share_chunk(spec->job, spec->tiles);
  uint64_t bytes = rh_operand_layout(&own, own.offsets);
  RH_TRY(rh_region_alloc(&w->memory, bytes, error));
  RH_TRY(rh_job_init(w->job, spec->redhost, &own, error));
  RH_TRY(rh_job_setup(w->job, w->memory.address, 0, error));
  rh_cl_input_finish(&w->job->input); /* each chunk is brought by itself */
  if (!spec->checks) RH_TRY(rh_job_self_test(w->job, error));
  return rh_job_check_order(w->job, error);
}

static void name_strategy(const worker *w) {
  rh_share *part = w->part;
  const rh_job *job = w->job;
  part->device = job->device;
  part->check.depth = job->answer.depth;
  if (job->device)
    part->check.flushes = job->spec.type == RH_TYPE_f64 ? job->device->flushes_f64 != 0
                                                        : job->device->flushes_f32 != 0;
  snprintf(part->strategy, sizeof part->strategy, "%s", job->strategy->name);
  snprintf(part->path, sizeof part->path, "%s", job->path);
}

static void clean_up(worker *w, rh_status status) {
  if (w->spec->kept) return;
  if (status != RH_OK && w->job->device && w->job->instance_spec.session)
    clFinish(w->job->instance_spec.session->queue);
  rh_job_finish(w->job);
  rh_cl_input_finish(&w->input);
  rh_region_finish(&w->memory);
}

rh_status rh_share_reduce(rh_share *part, const rh_share_spec *spec, rh_error *error) {
  worker w = {.spec = spec, .part = part, .tile = rh_share_tile(spec->job)};
  w.job = spec->kept ? &spec->kept->job : &w.own;
  *part = (rh_share){0};
  rh_exact_prod_init(&part->check.prod);
  rh_fold_init(&part->fold, rh_share_op(spec->job));
  if (spec->tiles == 0) return RH_OK;
  rh_status status = set_up(&w, error);
  if (status == RH_OK) name_strategy(&w);
  if (status == RH_OK) status = reduce_chunks(&w, error);
  clean_up(&w, status);
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
  check->flushes |= other->flushes;
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

void rh_share_judge(const rh_job_spec *job, const rh_share_check *check, const rh_result *result,
                    rh_reference *reference, rh_verdict *verdict) {
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
  rh_reference_judge(reference, result, depth, (int)check->flushes, verdict);
}
