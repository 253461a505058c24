#include "accuracy.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"

rh_status rh_accuracy_ask(rh_job_spec *spec, rh_custom *own, rh_error *error) {
  spec->rounds_once = 1;
  if (own) return rh_custom_round_once(own, error);
  if (spec->op->base != RH_OP_prod || !rh_type_is_float(spec->op->type)) return RH_OK;
  return rh_fail(error, RH_DECLINED, "a product of floats cannot be rounded once; a sum can");
}

void rh_accuracy_take(const rh_job_spec *spec, const rh_reference *reference, rh_result *result) {
  if (spec->rounds_once && rh_op_rounds(spec->op->base, spec->op->type))
    result->value = reference->result.value;
}
