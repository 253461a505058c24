#include "run.h"

rh_status rh_context_check_process(const rh_context *context, rh_error *error) {
  if (*context->opened_here || context->devices.n == 0) return RH_OK;
  return rh_fail(error, RH_E_INVALID,
                 "this process was forked after rh_open(), and the devices of an rh_redhost stay "
                 "with the process that opened it; call rh_open() after fork()");
}

static const rh_sized without_fields = {"rh_result", 0, RH_WITHOUT_FIELDS};

void rh_call_begin(rh_call *call, rh_job *job, rh_cl_input *inputs) {
  const rh_job_spec *spec = &job->spec;
  const rh_operator *op = spec->operation.op;
  int has_fields = op->n_results > 0, has_operands = rh_operator_has_operands(op);
  *call = (rh_call){.instance = job->instance,
                    .n_operands = op->n_operands,
                    .job = job,
                    .op = op,
                    .inputs = inputs};
  for (uint32_t k = 0; k < call->n_operands; k++)
    call->sizes[k] = rh_type_size(op->operands[k].type);
  call->decodes = rh_op_find(op->base, op->type);
  call->may_be_empty = op->is_masked && op->base == RH_OP_sum && rh_type_is_float(op->type);
  if (!has_fields) { /* else `decodes` may be null */
    call->decoding = rh_op_decoding(call->decodes, op->type);
    rh_job_result(spec, job->strategy->name, job->instance->op.identity, &call->blank);
  }
  if (has_operands) {
    rh_operands_begin(&job->operands, op);
    rh_instance_show(job->instance, &job->operands);
    call->arrays = &job->operands.arrays;
  }
  int sets_constant = has_operands && job->operands.count_slot >= 0;
  if (!has_fields && !sets_constant && !job->instance->spec.session &&
      job->strategy->promises & RH_KEEPS_FP_CONTROL)
    call->fast_max_n = spec->operation.n;
}

/* ---- The result ---- */

/* For at least one element, and a program that knows all fields before `fields`. */
static inline void fill(const rh_call *call, const void *value, rh_result *result) {
  uint32_t size = result->struct_size;
  memcpy(result, &call->blank, RH_WITHOUT_FIELDS);
  result->struct_size = size;
  rh_op_decode(call->decoding, call->decodes, call->op->type, value, result);
  if (call->may_be_empty && result->value.f == 0) result->value.f = 0;
}

void rh_call_decode(const rh_call *call, const void *value, uint64_t n, rh_result *result) {
  int has_fields = call->op->n_results > 0;
  if (n > 0 && result->struct_size >= RH_WITHOUT_FIELDS && !has_fields) {
    fill(call, value, result);
    return;
  }
  rh_result own;
  rh_job_spec spec = {.operation = {.op = call->op, .n = n}};
  rh_job_result(&spec, call->job->strategy->name, value, &own);
  rh_sized_write(result, &own, has_fields ? RH_SIZED(rh_result, strategy) : &without_fields);
}

/* ---- Calls ---- */

rh_status rh_call_fast(const rh_call *call, const void *from, uint64_t n, rh_result *result,
                       rh_error *error) {
  RH_TRY(rh_instance_call_fast(call->instance, from, n, error));
  fill(call, call->instance->value, result);
  return RH_OK;
}

static rh_status reduce(const rh_call *call, const void *const *arrays, uint64_t n, void *value,
                        rh_error *error) {
  rh_job *job = call->job;
  rh_data placed;
  RH_TRY(rh_operands_check(call->op, arrays, n, error));
  if (call->ring && n > call->most_whole)
    return call->stream(call->ring, arrays, n, value, NULL, error);
  rh_status status = rh_operands_bring(job, call->inputs, arrays, n, &placed, error);
  if (status == RH_OK) status = rh_instance_call(call->instance, &placed, n, value, error);
  if (!job->device) return status;
  /* After a failure, the device may still be reading the caller's memory. */
  if (status != RH_OK) rh_cl_finish(job->instance_spec.session->queue);
  if (job->device->about.kind != RH_DEVICE_CPU) rh_cl_inputs_let_go(call->inputs, call->n_operands);
  return status;
}

rh_status rh_call_arrays(const rh_call *call, const void *const *arrays, uint64_t n,
                         rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  const rh_op *op = &call->instance->op;
  if (n == 0) memcpy(value, op->identity, op->value_size); /* there is no array */
  else RH_TRY(reduce(call, arrays, n, value, error));
  rh_call_decode(call, value, n, result);
  return RH_OK;
}
