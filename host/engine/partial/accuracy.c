#include "partial.h"

rh_status rh_accuracy_ask(rh_job_spec *spec, rh_custom *own, rh_error *error) {
  spec->operation.accuracy = RH_ACCURACY_EXACT;
  if (own) RH_TRY(rh_custom_round_once(own, error));
  if (own) return RH_OK;
  if (spec->operation.op->base != RH_OP_prod || !rh_type_is_float(spec->operation.op->type))
    return RH_OK;
  return rh_fail(error, RH_DECLINED, "a product of floats cannot be rounded once; a sum can");
}

rh_status rh_accuracy_check_own(const rh_job *job, rh_error *error) {
  if (!rh_job_is_near(job)) return RH_OK;
  return rh_fail(error, RH_DECLINED,
                 "strategy '%s' does not round '%s' once, and a prepared call has no check, which "
                 "would: rh_reduce() has",
                 job->strategy->name, job->spec.operation.op->name);
}

/* What rounding x to the nearest number of the type cost at most. */
static double half_an_ulp(rh_type type, double x) {
  double next = type == RH_TYPE_f64 ? nextafter(x, INFINITY) : nextafterf((float)x, INFINITY);
  return isfinite(next) ? (next - x) / 2 : 0;
}

void rh_accuracy_take(const rh_job_spec *spec, const rh_reference *reference, rh_result *result) {
  if (!rh_operation_rounds_once(&spec->operation)) return;
  result->value = reference->answer.value;
  result->bound = half_an_ulp(result->type, fabs(result->value.f));
  memcpy(result->fields, reference->answer.fields, sizeof result->fields);
}
