#include "run.h"

static uint64_t hash_of(const rh_job_spec *spec, const rh_job_part *part) {
  uint64_t hash = 0;
  for (uint32_t k = 0; k < spec->operation.op->n_operands; k++)
    hash = rh_hash(hash, part->operands[k],
                   part->n * rh_type_size(spec->operation.op->operands[k].type));
  return hash;
}

/* Its last bits depend on how many threads have computed it. */
static int is_same_product(const rh_exact_prod *a, const rh_exact_prod *b) {
  int64_t apart = a->magnitude.exponent - b->magnitude.exponent;
  if (a->zeros != b->zeros || a->nans != b->nans || a->infinities != b->infinities ||
      a->negatives != b->negatives || a->uneven != b->uneven || apart < -1 || apart > 1)
    return 0;
  long double ratio = ldexpl(a->magnitude.mantissa / b->magnitude.mantissa, (int)apart);
  return fabsl(ratio - 1) <= 4 * LDBL_EPSILON * (long double)a->n;
}

static int is_same(const rh_reference *a, const rh_reference *b) {
  uint32_t orders = a->sampled.n_orders;
  if (orders > b->sampled.n_orders) orders = b->sampled.n_orders;
  return memcmp(&a->sum, &b->sum, sizeof a->sum) == 0 &&
         memcmp(a->value, b->value, sizeof a->value) == 0 && is_same_product(&a->prod, &b->prod) &&
         memcmp(a->sampled.values, b->sampled.values, orders * sizeof *a->sampled.values) == 0;
}

static rh_status check_unchanged(const rh_job_spec *spec, const rh_job_part *part,
                                 const rh_reference *reference, rh_error *error) {
  static const rh_reporter silent = {0};
  rh_reference again;
  if (!part->may_change) return RH_OK;
  uint64_t before = hash_of(spec, part);
  RH_TRY(rh_job_reference_of(spec, part, &silent, &again, error));
  if (is_same(reference, &again) && hash_of(spec, part) == before) return RH_OK;
  return rh_fail(error, RH_E_FILE,
                 "%.200s: the data changed while they were being reduced, so that the answer "
                 "belongs to no version of them; reduce a copy",
                 spec->operation.what ? spec->operation.what : spec->operation.op->name);
}

static rh_status look_again(const rh_job_spec *spec, const rh_job_part *part,
                            rh_reference *reference, rh_error *error) {
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
  rh_arrays arrays;
  RH_TRY(check_unchanged(spec, part, reference, error));
  if (reference->sampled.n_orders < 2) return RH_OK;
  rh_job_arrays(spec, part, &arrays, constants);
  spec->operation.op->calls->refer_more(spec->operation.op, &arrays, part->n, reference);
  return RH_OK;
}

static void judge_answered(const rh_job_spec *spec, const rh_answered *answered,
                           const rh_reference *reference, rh_verdict *verdict) {
  int flushes = rh_job_flushes(spec, answered->device);
  if (answered->result)
    rh_reference_judge(reference, answered->result, answered->depth, flushes, verdict);
  else rh_reference_judge_value(reference, answered->value, answered->depth, flushes, verdict);
}

rh_status rh_job_judge_on(const rh_job_spec *spec, const rh_job_part *part,
                          const rh_answered *answered, rh_reference *reference, rh_verdict *verdict,
                          rh_error *error) {
  judge_answered(spec, answered, reference, verdict);
  if (verdict->verdict != RH_VERDICT_WRONG || part->n == 0) return RH_OK;
  RH_TRY(look_again(spec, part, reference, error));
  judge_answered(spec, answered, reference, verdict);
  if (verdict->verdict != RH_VERDICT_WRONG) return RH_OK;
  return rh_job_trust_on(answered->context, spec, part, error);
}

rh_status rh_job_trust_on(rh_context *context, const rh_job_spec *spec, const rh_job_part *part,
                          rh_error *error) {
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
  rh_arrays arrays;
  if (!spec->operation.op->is_custom || !context->calls) return RH_OK;
  rh_job_arrays(spec, part, &arrays, constants);
  rh_status status =
      context->calls->examine(spec->operation.op, &arrays, part->first, part->n, error);
  context->operator_failed |= status != RH_OK;
  return status;
}
