#include "checks.h"
#include "../base/error.h"
#include "../base/random.h"
#include "../base/vocabulary.h"
#include "../operators/ops.h"

#include <string.h>

enum { ONE_IN = 16 };

/* How the references' values are combined: those of a struct by itself, and others by the built-in
 * operator. */
static const rh_op *op_of(const rh_job_spec *job) {
  return job->custom && job->custom->is_struct ? &job->custom->op : rh_op_find(job->op, job->type);
}

static int is_struct(const rh_job_spec *job) {
  return job->custom && job->custom->is_struct;
}

static int has_value(const rh_job_spec *job) {
  return is_struct(job) || (rh_op_flags(job->op, job->type) & RH_OP_EXACT) != 0;
}

void rh_checks_init(rh_checks *checks, int mode, const rh_job_spec *job, uint64_t n) {
  *checks = (rh_checks){.mode = mode, .job = job, .whole_n = n};
  rh_reference_init(&checks->whole, job->op, job->type);
  for (uint32_t k = 0; k < RH_SAMPLED_ORDERS; k++) rh_fold_init(&checks->folds[k], op_of(job));
}

void rh_checks_finish(rh_checks *checks) {
  for (uint32_t k = 0; k < RH_SAMPLED_ORDERS; k++) rh_fold_finish(&checks->folds[k]);
}

int rh_checks_wants(const rh_checks *checks, uint64_t index) {
  if (checks->mode == RH_CHECK_SAMPLED) return index == 0 || rh_random_mix(index) % ONE_IN == 0;
  return checks->mode == RH_CHECK_FULL;
}

rh_status rh_checks_refer(const rh_checks *checks, const void *const *operands, uint64_t first,
                          uint64_t n, rh_reference *part, rh_error *error) {
  static const rh_reporter silent = {0};
  const rh_job_spec *job = checks->job;
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
  rh_arrays arrays = {.constants = constants};
  if (!job->custom)
    return rh_reference_compute(part, job->op, job->type, operands[0], n, 1, &silent, error);
  memcpy(arrays.operands, operands, job->custom->n_operands * sizeof *operands);
  constants[0] = 0;
  rh_operator_bind(job->custom, checks->whole_n, constants);
  rh_operator_set_base(job->custom, constants, first);
  return rh_reference_compute_custom(part, job->custom, &arrays, n, 1, &silent, error);
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
  for (uint32_t k = 0; k < part->sampled.n_orders; k++)
    RH_TRY(rh_fold_add(&checks->folds[k], 0, index, part->sampled.values[k], error));
  checks->whole.sampled = part->sampled; /* what the operator is; the values are the folds' */
  return RH_OK;
}

rh_status rh_checks_conclude(rh_checks *checks, rh_error *error) {
  rh_reference *whole = &checks->whole;
  const rh_job_spec *job = checks->job;
  whole->n = job->n;
  if (checks->mode != RH_CHECK_FULL) return RH_OK;
  if (is_struct(job)) {
    whole->sampled.n = job->custom->n_results; /* also if there were no elements */
    for (uint32_t k = 0; k < RH_SAMPLED_ORDERS; k++)
      RH_TRY(rh_fold_value(&checks->folds[k], whole->sampled.values[k], error));
  } else if (has_value(job)) {
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
    RH_TRY(rh_fold_value(&checks->folds[0], value, error));
    memcpy(whole->value, value, sizeof whole->value);
  }
  rh_reference_conclude(whole, job->custom);
  return RH_OK;
}

/* ---- SAMPLED ---- */

static void judge_chunk(rh_checks *checks, const rh_reference *part, const rh_cl_device *device,
                        uint64_t depth, const void *value) {
  rh_job_spec spec = *checks->job;
  rh_result result;
  rh_verdict verdict;
  spec.n = part->n;
  rh_job_result(&spec, "", value, &result);
  rh_job_judge(&spec, device, depth, part, &result, &verdict);
  if (checks->verdict.verdict != RH_VERDICT_WRONG) checks->verdict = verdict;
}

/* ---- Either ---- */

rh_status rh_checks_add(rh_checks *checks, uint64_t index, uint64_t first, const rh_reference *part,
                        const rh_cl_device *device, uint64_t depth, const void *value,
                        rh_error *error) {
  checks->chunks++;
  if (!part) return RH_OK;
  checks->checked++;
  if (checks->mode == RH_CHECK_SAMPLED) {
    judge_chunk(checks, part, device, depth, value);
    return RH_OK;
  }
  rh_reference_add(&checks->whole, part);
  return has_value(checks->job) ? add_values(checks, index, first, part, error) : RH_OK;
}
