#include "accuracy.h"
#include "../../core/base/error.h"

#include <math.h>
#include <string.h>

rh_status rh_accuracy_ask(rh_job_spec *spec, rh_custom *own, rh_error *error) {
  spec->operation.accuracy = RH_ACCURACY_EXACT;
  if (own) RH_TRY(rh_custom_round_once(own, error));
  if (own) return RH_OK;
  if (spec->operation.op->base != RH_OP_prod || !rh_type_is_float(spec->operation.op->type))
    return RH_OK;
  return rh_fail(error, RH_DECLINED, "a product of floats cannot be rounded once; a sum can");
}

/* What rounding x to the nearest number of the type cost at most. */
static double half_an_ulp(rh_type type, double x) {
  double next = type == RH_TYPE_f64 ? nextafter(x, INFINITY) : nextafterf((float)x, INFINITY);
  return isfinite(next) ? (next - x) / 2 : 0;
}

void rh_accuracy_take(const rh_job_spec *spec, const rh_reference *reference, rh_result *result) {
  const rh_operator *op = spec->operation.op;
  if (!spec->operation.accuracy || !(op->divides || rh_op_rounds(op->base, op->type))) return;
  result->value = reference->answer.value;
  result->bound = half_an_ulp(result->type, fabs(result->value.f));
  memcpy(result->fields, reference->answer.fields, sizeof result->fields);
}
