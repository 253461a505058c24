#include "run.h"

void rh_operands_begin(rh_operands *operands, const rh_operator *op) {
  operands->n = op->n_operands;
  operands->whole_n = 0;
  operands->constants_size = op->abi->constants_size;
  operands->constants[0] = 0; /* there is a word even if there is no constant */
  operands->arrays.constants = operands->constants;
  op->calls->bind(op, 0, operands->constants);
  operands->count_slot = op->count_slot;
}

void rh_operands_bind(rh_operands *operands, const rh_operator *op) {
  op->calls->bind(op, 0, operands->constants);
}

void rh_operands_place(rh_operands *operands, const rh_operator *op, const uint64_t *offsets,
                       cl_mem buffer, uint64_t first, const void *host) {
  rh_operands_begin(operands, op);
  for (uint32_t k = 0; k < operands->n; k++) {
    operands->buffers[k] = buffer;
    operands->at[k] = (first + offsets[k]) / rh_type_size(op->operands[k].type);
    operands->arrays.operands[k] = (const char *)host + offsets[k];
  }
}

void rh_operands_show(rh_operands *operands, rh_run *run, rh_operand_arguments *arguments) {
  if (operands->count_slot >= 0)
    operands->constants[operands->count_slot] = operands->whole_n ? operands->whole_n : run->n;
  run->first = 0;
  run->input = NULL;
  run->host_input = &operands->arrays;
  run->host_operands = operands->arrays.operands;
  run->n_operands = operands->n;
  run->operands = (struct _cl_mem *const *)operands->buffers;
  run->operand_first = operands->at;
  run->constants = operands->constants;
  *arguments = (rh_operand_arguments){.n = operands->n,
                                      .expands = 1,
                                      .buffers = operands->buffers,
                                      .at = operands->at,
                                      .constants = operands->constants,
                                      .constants_size = operands->constants_size};
}
