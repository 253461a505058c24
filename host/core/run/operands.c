#include "run.h"

void rh_operands_begin(rh_operands *operands, const rh_operator *op) {
  operands->n = op->n_operands;
  operands->whole_n = 0;
  operands->constants[0] = 0; /* there is a word even if there is no constant */
  operands->arrays.constants = operands->constants;
  op->calls->bind(op, 0, operands->constants);
  operands->count_slot = op->count_slot;
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
