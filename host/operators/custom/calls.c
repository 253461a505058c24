/* The functions by which the rest of the host uses a custom operator. */
#include "../../core/operation/result.h"
#include "by_code.h"
#include "make.h"
#include "refer.h"
#include "sampled.h"

static void bind_constants(const rh_operator *face, uint64_t n, void *constants) {
  rh_exprs_bind(rh_custom_of(face)->load, n, constants);
  rh_operator_set_base(face, constants, 0);
}

static void decode(const rh_operator *face, const void *value, uint64_t n, rh_result *result) {
  if (face->n_results)
    rh_custom_decode(rh_custom_of(face), value, n, result);
  else
    rh_operator_decode_base(face, value, n, result);
}

static void results(const rh_operator *face, const void *values, const uint64_t *lengths,
                    uint64_t n, void *const *to) {
  uint64_t none[RH_RESULTS_AT_ONCE] = {0}; /* that a condition left in, maybe */
  if (face->n_results)
    rh_custom_results(rh_custom_of(face), values, lengths, n, to);
  else
    rh_operator_results_base(face, values, face->is_masked ? none : lengths, n, to);
}

static const rh_operator *part(const rh_operator *face, uint32_t k, uint32_t *value_at,
                               uint32_t *index_at) {
  const rh_custom *self = rh_custom_of(face);
  if (k >= self->op.n_parts) return NULL;
  *value_at = self->parts[k].offset;
  *index_at = self->parts[k].index_at;
  return &self->alone[k]->face;
}

const rh_operator_calls rh_custom_calls = {
    .prelude = rh_custom_prelude,
    .bind = bind_constants,
    .map = rh_custom_map,
    .enclose = rh_custom_enclose,
    .decode = decode,
    .results = results,
    .part = part,
    .constants = rh_custom_constants,
    .open = rh_by_code_open,
    .decline = rh_by_code_decline,
    .refer = rh_custom_refer,
    .refer_more = rh_sample_serial,
    .conclude = rh_custom_conclude,
    .judge = rh_custom_judge,
    .judge_value = rh_custom_judge_value,
    .error_part = rh_custom_error_part,
};
