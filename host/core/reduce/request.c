#include "request.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "asked.h"
#include "operand_data.h"

rh_status rh_request_name(const rh_request *request, const rh_options *options, rh_job_spec *spec,
                          rh_operator **made, rh_error *error) {
  const rh_asked asked = {.options = options,
                          .op = request->op,
                          .map = request->map,
                          .where = request->where,
                          .reduce = request->reduce,
                          .identity = request->identity,
                          .finalize = request->finalize,
                          .type = request->type,
                          .inputs = request->inputs,
                          .n_inputs = request->n_inputs,
                          .constants = request->constants,
                          .n_constants = request->n_constants,
                          .commutes = request->commutes};
  *spec = (rh_job_spec){
      .strategy = request->strategy,
      .n = request->n,
      .settings = request->settings,
      .n_settings = request->n_settings,
      .unchecked_op = request->unchecked_op,
      .what = "the data",
  };
  return rh_asked_name(&asked, spec, made, error);
}

void rh_request_data(const rh_request *request, const void *data[RH_MOST_OPERANDS]) {
  data[0] = request->data;
  for (uint64_t k = 0; request->inputs && k < request->n_inputs; k++)
    data[k] = request->inputs[k].data;
}

static rh_status check_operand(const rh_job_spec *spec, uint32_t k, const void *data, uint64_t n,
                               rh_error *error) {
  uint32_t size = rh_type_size(rh_job_operand_type(spec, k));
  if (n > UINT64_MAX / size) return rh_operand_check_extent(data, size, n, error);
  if (n == 0) return RH_OK;
  RH_TRY(rh_operand_check_address(data, size, k, rh_job_operands(spec), error));
  return rh_operand_check_extent(data, size, n, error);
}

rh_status rh_request_check(const rh_request *request, const rh_job_spec *spec,
                           const void *const *data, rh_error *error) {
  RH_TRY(rh_settings_check(request->settings, request->n_settings, error));
  if (request->reserved)
    return rh_fail(error, RH_E_USAGE, "rh_request.reserved is %u and must be 0", request->reserved);
  if (request->accuracy > RH_ACCURACY_EXACT || request->reserved_accuracy)
    return rh_fail(error, RH_E_USAGE, "rh_request.accuracy is %u: expected 0 or RH_ACCURACY_EXACT",
                   request->accuracy);
  if (request->accuracy && request->unchecked)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.accuracy and rh_request.unchecked are mutually exclusive: the exact "
                   "answer is computed for the check");
  if (request->inputs && request->data)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.data and rh_request.inputs are mutually exclusive");
  for (uint32_t k = 0; k < rh_job_operands(spec); k++)
    RH_TRY(check_operand(spec, k, data[k], request->n, error));
  return RH_OK;
}
