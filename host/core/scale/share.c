#include "share.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "../operation/ops.h"
#include "../reduce/before_blame.h"
#include "../reduce/exact_data.h"
#include "../reduce/sampled.h"

#include <redhost/canonical.h>

#include <stdio.h>
#include <string.h>

enum {
  DEVICE_LEVEL = 14, /* of the largest chunks, 2^level tiles of 2 KiB: 32 MiB */
  SHARES = 64        /* cuts are as coarse as leaves each rank at least this many pieces */
};

/* ---- Cutting ---- */

const rh_op *rh_share_op(const rh_job_spec *job) {
  return rh_operator_values(job->op);
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

/* ---- Chunks ---- */

void rh_share_begin(rh_share *part, const rh_job_spec *job) {
  *part = (rh_share){0};
  rh_exact_prod_init(&part->check.prod);
  rh_fold_init(&part->fold, rh_share_op(job));
}

void rh_share_name(rh_share *part, const rh_job *job) {
  part->device = job->device;
  part->check.depth = job->answer.depth;
  if (job->device)
    part->check.flushes = job->spec.op->type == RH_TYPE_f64 ? job->device->flushes_f64 != 0
                                                            : job->device->flushes_f32 != 0;
  snprintf(part->strategy, sizeof part->strategy, "%s", job->strategy->name);
  snprintf(part->path, sizeof part->path, "%s", job->path);
}

/* A chunk's value may then be right and yet not be its reference's. */
static int keeps_value(const rh_job_spec *job) {
  uint32_t flags = RH_OP_EXACT | RH_OP_COMMUTATIVE;
  return !job->op->is_struct && job->op->map_error > 0 &&
         (rh_op_flags(job->op->base, job->op->type) & flags) == flags;
}

/* *check, of some chunks, += those of others. */
static void add_exact(const rh_job_spec *job, rh_share_check *check, const rh_exact_sum *sum,
                      const rh_exact_prod *prod, const rh_enclosed *enclosed,
                      const unsigned char *value) {
  rh_exact_sum_merge(&check->sum, sum);
  rh_exact_prod_merge(&check->prod, prod);
  rh_enclosed_merge(&check->enclosed, job->op->base, enclosed);
  if (!keeps_value(job)) return;
  if (check->chunks == 0)
    memcpy(check->value, value, sizeof check->value);
  else
    rh_share_op(job)->combine(check->value, value);
}

static rh_status judge_value(rh_share *part, const rh_job_spec *job, const rh_job *by,
                             const rh_job_part *elements, rh_reference *reference,
                             const void *value, rh_error *error) {
  rh_share_check *check = &part->check;
  uint64_t first = elements->first;
  rh_verdict verdict;
  const rh_answered answered = {by->context, by->device, by->answer.depth, NULL, value};
  RH_TRY(rh_job_judge_on(job, elements, &answered, reference, &verdict, error));
  if (verdict.verdict == RH_VERDICT_WRONG) {
    rh_context_blame(by->context, part->strategy, part->path, job->op, reference->n);
    return rh_fail(error, RH_E_WRONG, "wrong result: '%s' on elements %llu to %llu: %.160s",
                   part->strategy, (unsigned long long)first,
                   (unsigned long long)(first + reference->n - 1), verdict.text);
  }
  _Alignas(16) unsigned char exact[sizeof reference->value];
  memcpy(exact, reference->value, sizeof exact);
  if (keeps_value(job)) rh_fold_rebase(rh_share_op(job), exact, first);
  add_exact(job, check, &reference->sum, &reference->prod, &reference->enclosed, exact);
  check->chunks++;
  check->unjudged += verdict.verdict == RH_VERDICT_UNJUDGED || rh_exact_data_is_needed(&verdict);
  return RH_OK;
}

rh_status rh_share_add(rh_share *part, const rh_job_spec *job, const rh_job *by, uint64_t tile,
                       uint32_t level, const void *const *operands, rh_reference *reference,
                       void *value, rh_error *error) {
  uint64_t first = tile * rh_share_tile(job);
  if (reference) {
    const rh_job_part elements = {operands, first, reference->n, job->n, 0, part->may_change};
    RH_TRY(judge_value(part, job, by, &elements, reference, value, error));
  }
  rh_fold_rebase(part->fold.op, value, first);
  return rh_fold_add(&part->fold, level, tile >> level, value, error);
}

void rh_share_finish(rh_share *part) {
  rh_fold_finish(&part->fold);
}

/* ---- The whole ---- */

void rh_part_check_add(const rh_job_spec *job, rh_share_check *check, const rh_share_check *other) {
  if (other->chunks == 0) return;
  add_exact(job, check, &other->sum, &other->prod, &other->enclosed, other->value);
  check->chunks += other->chunks;
  check->unjudged += other->unjudged;
  if (other->depth > check->depth) check->depth = other->depth;
  check->flushes |= other->flushes;
}

static int is_struct(const rh_job_spec *job) {
  return job->op->is_struct;
}

/* Sums and products of floats have an exact answer of their own, and so has what is exact over a
 * map whose functions err.  Others are what their chunks are: each of these was compared. */
static void refer_whole(const rh_job_spec *job, const rh_share_check *check,
                        const rh_result *result, rh_reference *reference) {
  int rounds = !is_struct(job) && rh_op_rounds(job->op->base, job->op->type);
  rh_reference_init(reference, job->op);
  reference->n = job->n;
  reference->exact = !rounds;
  reference->sum = check->sum;
  reference->prod = check->prod;
  reference->enclosed = check->enclosed;
  memcpy(reference->value, check->value, sizeof reference->value);
  if (rounds || (keeps_value(job) && check->chunks > 0)) {
    rh_reference_conclude(reference);
    return;
  }
  reference->result = reference->answer = *result;
  if (!is_struct(job)) return;
  reference->sampled.n_orders = rh_sampled_orders(rh_custom_of(job->op));
  reference->sampled.by_device = job->op->is_code;
}

static void judge_by_parts(const rh_job_spec *job, const rh_share_check *check,
                           rh_verdict *verdict) {
  unsigned long long chunks = check->chunks, unjudged = check->unjudged;
  *verdict = (rh_verdict){.verdict = unjudged ? RH_VERDICT_UNJUDGED : RH_VERDICT_OK};
  if (unjudged)
    snprintf(verdict->text, sizeof verdict->text, "%llu of %llu parts are not judged", unjudged,
             chunks);
  else
    snprintf(verdict->text, sizeof verdict->text, "%s in each of %llu part%s",
             is_struct(job) ? "within its bound" : "equal", chunks, chunks == 1 ? "" : "s");
}

void rh_share_judge(const rh_job_spec *job, const rh_share_check *check, const rh_result *result,
                    rh_reference *reference, rh_verdict *verdict) {
  uint64_t depth = check->depth;
  refer_whole(job, check, result, reference);
  if (is_struct(job) || (reference->exact && !keeps_value(job))) {
    judge_by_parts(job, check, verdict);
    return;
  }
  /* Above the chunks the tree is as deep as there are bits in their number. */
  for (uint64_t chunks = check->chunks; depth && chunks > 1; chunks = (chunks + 1) / 2) depth++;
  if (depth) depth += 8; /* parts that are cut have smaller chunks at their ends */
  rh_reference_judge(reference, result, depth, (int)check->flushes, verdict);
  rh_exact_data_settle(verdict, "the ranks hold parts of the data");
}
