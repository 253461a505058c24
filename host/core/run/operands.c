#include "run.h"

/* Addresses have at most 57 bits on today's processors. */
static const uint64_t address_space = UINT64_C(1) << 57;

rh_status rh_operands_check(const rh_operator *op, const void *const *operands, uint64_t n,
                            rh_error *error) {
  for (uint32_t k = 0; k < op->n_operands && n > 0; k++) {
    uint32_t size = rh_type_size(op->operands[k].type);
    uint64_t at = (uint64_t)(uintptr_t)operands[k];
    if (n > UINT64_MAX / size)
      return rh_fail(error, RH_E_USAGE, "%llu elements of %u bytes exceed 2^64 bytes",
                     (unsigned long long)n, size);
    if (!rh_operand_is_aligned(operands[k], size) && op->n_operands == 1)
      return rh_fail(error, RH_E_USAGE, "the data is null or not aligned to its elements");
    if (!rh_operand_is_aligned(operands[k], size))
      return rh_fail(error, RH_E_USAGE,
                     "the data of input %u of %u is null or not aligned to its elements", k + 1,
                     op->n_operands);
    if (at > address_space || n * size > address_space - at)
      return rh_fail(error, RH_E_USAGE,
                     "%llu elements of %u bytes reach from the data's address beyond all memory",
                     (unsigned long long)n, size);
  }
  return RH_OK;
}

uint64_t rh_operand_layout(const rh_job_spec *spec, uint64_t offsets[RH_MOST_OPERANDS]) {
  enum { ALIGNMENT = 4096 };
  uint64_t end = 0;
  for (uint32_t k = 0; k < spec->operation.op->n_operands; k++) {
    uint64_t size = rh_type_size(spec->operation.op->operands[k].type);
    if (end > UINT64_MAX - ALIGNMENT) return UINT64_MAX;
    offsets[k] = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (spec->operation.n > (UINT64_MAX - offsets[k]) / size) return UINT64_MAX;
    end = offsets[k] + spec->operation.n * size;
  }
  return end;
}

rh_status rh_operand_data_fill(const rh_array *array, const rh_job_spec *spec, const char *kind,
                               uint64_t seed, const rh_reporter *reporter, rh_error *error) {
  for (uint32_t k = 0; k < spec->operation.op->n_operands; k++) {
    rh_array part = {.type = spec->operation.op->operands[k].type,
                     .n = spec->operation.n,
                     .region = array->region,
                     .offset_bytes = array->offset_bytes + spec->offsets[k]};
    RH_TRY(rh_array_fill(&part, kind, seed + k, reporter, error));
  }
  return RH_OK;
}

void rh_operands_begin(rh_operands *operands, const rh_operator *op) {
  operands->n = op->n_operands;
  operands->whole_n = 0;
  operands->constants[0] = 0; /* there is a word even if there is no constant */
  operands->arrays.constants = operands->constants;
  op->calls->bind(op, 0, operands->constants);
  operands->count_slot = op->count_slot;
}

/* What was written to *operands, as a run takes it. */
static rh_data data_of(rh_operands *operands, const rh_operator *op) {
  if (rh_operator_has_operands(op)) return (rh_data){.operands = operands};
  return (rh_data){.buffer = operands->buffers[0],
                   .host = operands->arrays.operands[0],
                   .first = operands->buffers[0] ? operands->at[0] : 0};
}

rh_data rh_operands_data(rh_operands *operands, const rh_operator *op, const uint64_t *offsets,
                         cl_mem buffer, uint64_t first, const void *host) {
  const char *at = host;
  if (rh_operator_has_operands(op)) rh_operands_begin(operands, op);
  for (uint32_t k = 0; k < op->n_operands; k++) {
    operands->buffers[k] = buffer;
    operands->at[k] = (first + offsets[k]) / rh_type_size(op->operands[k].type);
    operands->arrays.operands[k] = at ? at + offsets[k] : NULL;
  }
  return data_of(operands, op);
}

void rh_operands_set_part(const rh_data *data, const rh_operator *op, uint64_t whole_n,
                          uint64_t base) {
  if (!data->operands) return;
  data->operands->whole_n = whole_n;
  rh_operator_set_base(op, data->operands->constants, base);
}

rh_status rh_operands_bring(rh_job *job, rh_cl_input *inputs, const void *const *operands,
                            uint64_t n, rh_data *placed, rh_error *error) {
  const rh_operator *op = job->spec.operation.op;
  rh_operands *own = &job->operands;
  rh_status status = RH_OK;
  if (rh_operator_has_operands(op)) rh_operands_begin(own, op);
  for (uint32_t k = 0; k < op->n_operands && job->device && status == RH_OK; k++)
    status = rh_cl_input_renew(&inputs[k], job->instance_spec.session, operands[k], n,
                               rh_type_size(op->operands[k].type), error);
  if (status != RH_OK) job->context->device_failed = 1; /* prepared calls share the context */
  RH_TRY(status);
  for (uint32_t k = 0; k < op->n_operands; k++) {
    own->arrays.operands[k] = operands[k];
    own->buffers[k] = inputs[k].buffer;
    own->at[k] = inputs[k].first;
  }
  *placed = data_of(own, op);
  return RH_OK;
}

rh_data rh_operands_in_buffers(rh_job *job, const cl_mem *buffers, const uint64_t *first) {
  const rh_operator *op = job->spec.operation.op;
  rh_operands *own = &job->operands;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    own->arrays.operands[k] = NULL;
    own->buffers[k] = buffers[k];
    own->at[k] = first ? first[k] : 0;
  }
  return data_of(own, op);
}
