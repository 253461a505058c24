#include "library.h"

static const rh_sized without_fields = {"rh_result", 0, RH_WITHOUT_FIELDS};

void rh_call_begin(rh_call *call, rh_job *job) {
  const rh_job_spec *spec = &job->spec;
  const rh_operator *op = spec->operation.op;
  int has_fields = op->n_results > 0, has_operands = rh_operator_has_operands(op);
  *call = (rh_call){.instance = job->instance,
                    .value = rh_instance_host_value(job->instance),
                    .n_operands = op->n_operands,
                    .job = job,
                    .op = op};
  for (uint32_t k = 0; k < call->n_operands; k++)
    call->sizes[k] = rh_type_size(op->operands[k].type);
  call->decodes = rh_op_find(op->base, op->type);
  call->may_be_empty = op->is_masked && op->base == RH_OP_sum && rh_type_is_float(op->type);
  if (!has_fields) { /* else `decodes` may be null */
    call->decoding = rh_op_decoding(call->decodes, op->type);
    rh_job_result(spec, job->strategy->name, rh_instance_op(job->instance)->identity, &call->blank);
  }
  if (has_operands) {
    rh_operands_begin(&job->operands, op);
    rh_instance_show(job->instance, &job->operands);
    call->arrays = &job->operands.arrays;
  }
  int sets_constant = has_operands && job->operands.count_slot >= 0;
  if (!has_fields && !sets_constant && rh_instance_has_fast_path(job->instance))
    call->fast_max_n = spec->operation.n;
}

void rh_call_decode_unusual(const rh_call *call, const void *value, uint64_t n, rh_result *result) {
  rh_result own;
  int has_fields = call->op->n_results > 0;
  rh_job_spec spec = {.operation = {.op = call->op, .n = n}};
  rh_job_result(&spec, call->job->strategy->name, value, &own);
  rh_sized_write(result, &own, has_fields ? RH_SIZED(rh_result, strategy) : &without_fields);
}

rh_status rh_call_fast(const rh_call *call, const void *from, uint64_t n, rh_result *result,
                       rh_error *error) {
  RH_TRY(rh_instance_call_fast(call->instance, from, n, error));
  rh_call_fill(call, call->value, result);
  return RH_OK;
}

double rh_result_number(const rh_result *result) {
  if (!result) return 0;
  if (rh_type_is_float(result->type)) return result->value.f;
  return rh_type_is_signed(result->type) ? (double)result->value.i : (double)result->value.u;
}
