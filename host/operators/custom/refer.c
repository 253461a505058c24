#include "refer.h"
#include "../../core/base/error.h"
#include "by_code.h"
#include "sampled.h"

#include <string.h>

/* The identity of a float sum is -0; the sum of nothing is 0 to a user. */
static double sum_for_users(const rh_reference *reference, double sum) {
  int may_be_empty = reference->n == 0 || reference->op->is_masked;
  return may_be_empty && sum == 0 ? 0 : sum;
}

static void given_of_struct(const rh_reference *reference, rh_operator_result *given) {
  const rh_custom *custom = rh_custom_of(reference->op);
  rh_custom_given(custom, reference->sampled.values[0], reference->n, given);
  for (uint32_t k = 0; k < rh_custom_n_given(custom); k++) {
    uint32_t field = rh_custom_field_given(custom, k);
    if (custom->fields[field].kind == RH_FIELD_SUM)
      given[k].value.f = sum_for_users(
          reference, rh_field_sum_rounded(&reference->sums[field], custom->fields[field].type));
  }
}

static void given_of_built_in(const rh_reference *reference, rh_operator_result *given) {
  const rh_result *result = &reference->result;
  given->type = result->indexed ? RH_TYPE_u64 : result->type;
  memcpy(&given->value, &result->value, sizeof given->value);
  if (result->indexed) given->value.u = result->index;
  if (rh_type_is_float(given->type) && reference->op->base == RH_OP_sum)
    given->value.f = sum_for_users(reference, given->value.f);
}

uint64_t rh_reference_count(const rh_reference *reference) {
  if (!reference->op->is_struct) return reference->n;
  return rh_custom_count_in(rh_custom_of(reference->op), reference->sampled.values[0],
                            reference->n);
}

void rh_reference_given(const rh_reference *reference, rh_operator_result *given) {
  if (reference->op->is_struct)
    given_of_struct(reference, given);
  else
    given_of_built_in(reference, given);
}

void rh_custom_conclude(rh_reference *reference) {
  const rh_custom *custom = rh_custom_of(reference->op);
  rh_operator_result given[RH_MOST_FIELDS], results[RH_MOST_FIELDS];
  rh_reference_given(reference, given);
  rh_custom_finalize(custom, given, rh_reference_count(reference), results);
  if (reference->op->divides) rh_custom_mean(reference, results[0].type, &results[0].value.f);
  rh_custom_show(custom, results, reference->sampled.values[0], &reference->answer);
}

rh_status rh_custom_refer(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                          rh_reference *reference, rh_error *error) {
  const rh_custom *custom = rh_custom_of(op);
  rh_sample_orders(&reference->sampled, custom, arrays, n);
  if (!custom->code) RH_TRY(rh_field_sums_compute(reference->sums, custom, arrays, n, error));
  rh_reference_conclude(reference);
  return rh_by_code_status(op, error);
}
