#include "checks.h"
#include "../base/error.h"
#include "../base/random.h"
#include "../base/vocabulary.h"
#include "../operation/ops.h"
#include "../reduce/before_blame.h"

#include <string.h>

enum { ONE_IN = 16 };

/* How the references' values are combined: those of a struct by itself, and others by the built-in
 * operator. */
static const rh_op *op_of(const rh_job_spec *job) {
  return rh_operator_values(job->op);
}

static int is_struct(const rh_job_spec *job) {
  return job->op->is_struct;
}

static int has_value(const rh_job_spec *job) {
  return is_struct(job) || (rh_op_flags(job->op->base, job->op->type) & RH_OP_EXACT) != 0;
}

void rh_checks_init(rh_checks *checks, int mode, const rh_job_spec *job, uint64_t n) {
  *checks = (rh_checks){.mode = mode, .job = job, .whole_n = n};
  rh_reference_init(&checks->whole, job->op);
  for (uint32_t k = 0; k < RH_MOST_ORDERS; k++) rh_fold_init(&checks->folds[k], op_of(job));
}

void rh_checks_finish(rh_checks *checks) {
  for (uint32_t k = 0; k < RH_MOST_ORDERS; k++) rh_fold_finish(&checks->folds[k]);
}

int rh_checks_wants(const rh_checks *checks, uint64_t index) {
  if (checks->mode == RH_CHECK_SAMPLED) return index == 0 || rh_random_mix(index) % ONE_IN == 0;
  return checks->mode == RH_CHECK_FULL;
}

rh_status rh_checks_refer(const rh_checks *checks, const void *const *operands, uint64_t first,
                          uint64_t n, rh_reference *part, rh_error *error) {
  static const rh_reporter silent = {0};
  const rh_job_part elements = {operands, first, n, checks->whole_n, 1, 0};
  return rh_job_reference_of(checks->job, &elements, &silent, part, error);
}

/* ---- FULL ---- */

static rh_status add_values(rh_checks *checks, uint64_t index, uint64_t first,
                            const rh_reference *part, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  const rh_job_spec *job = checks->job;
  if (!is_struct(job)) {
    memcpy(value, part->value, sizeof part->value);
    rh_fold_rebase(op_of(job), value, first);
    return rh_fold_add(&checks->folds[0], 0, index, value, error);
  }
  /* A chunk that was combined in fewer orders has the same value in the others. */
  for (uint32_t k = 0; k < RH_MOST_ORDERS; k++) {
    uint32_t order = k < part->sampled.n_orders ? k : 0;
    RH_TRY(rh_fold_add(&checks->folds[k], 0, index, part->sampled.values[order], error));
  }
  if (part->sampled.n_orders > checks->whole.sampled.n_orders)
    checks->whole.sampled.n_orders = part->sampled.n_orders;
  return RH_OK;
}

rh_status rh_checks_conclude(rh_checks *checks, rh_error *error) {
  rh_reference *whole = &checks->whole;
  const rh_job_spec *job = checks->job;
  whole->n = job->n;
  if (checks->mode != RH_CHECK_FULL) return RH_OK;
  if (is_struct(job)) {
    whole->sampled.by_device = job->op->is_code;
    if (whole->sampled.n_orders == 0) whole->sampled.n_orders = 1; /* there were no elements */
    for (uint32_t k = 0; k < whole->sampled.n_orders; k++)
      RH_TRY(rh_fold_value(&checks->folds[k], whole->sampled.values[k], error));
  } else if (has_value(job)) {
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
    RH_TRY(rh_fold_value(&checks->folds[0], value, error));
    memcpy(whole->value, value, sizeof whole->value);
  }
  rh_reference_conclude(whole);
  return RH_OK;
}

/* ---- One chunk ---- */

/* What a chunk is judged by while its elements are there. */
static rh_status judge_chunk(rh_checks *checks, const rh_chunk_check *chunk, rh_error *error) {
  const rh_job_part elements = {.operands = chunk->operands,
                                .first = chunk->first,
                                .n = chunk->reference->n,
                                .whole_n = checks->whole_n,
                                .threads = 1,
                                .may_change = chunk->may_change};
  const rh_answered answered = {chunk->context, chunk->device, chunk->depth, NULL, chunk->value};
  rh_verdict verdict;
  RH_TRY(rh_job_judge_on(checks->job, &elements, &answered, chunk->reference, &verdict, error));
  checks->verdict = verdict;
  return RH_OK;
}

rh_status rh_checks_add(rh_checks *checks, uint64_t index, const rh_chunk_check *chunk,
                        rh_error *error) {
  checks->chunks++;
  if (!chunk->reference) return RH_OK;
  checks->checked++;
  if (chunk->value && checks->verdict.verdict != RH_VERDICT_WRONG)
    RH_TRY(judge_chunk(checks, chunk, error));
  if (checks->mode == RH_CHECK_SAMPLED) return RH_OK;
  rh_reference_add(&checks->whole, chunk->reference);
  if (!has_value(checks->job)) return RH_OK;
  return add_values(checks, index, chunk->first, chunk->reference, error);
}
