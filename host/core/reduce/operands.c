#include "operands.h"
#include "../base/vocabulary.h"
#include "../cl/memory.h"

void rh_operands_show(const rh_operands *operands, rh_run *run, rh_operand_arguments *arguments) {
  run->first = 0;
  run->input = operands->buffers[0];
  run->host_input = &operands->arrays;
  run->n_operands = operands->n;
  run->operands = (struct _cl_mem *const *)operands->buffers;
  run->operand_first = operands->at;
  run->constants = operands->constants;
  *arguments = (rh_operand_arguments){.n = operands->n,
                                      .expands = 1,
                                      .buffers = operands->buffers,
                                      .at = operands->at,
                                      .constants = operands->constants};
}

rh_status rh_operands_place(rh_operands *operands, const rh_operator *custom,
                            const uint64_t *offsets, rh_cl_session *session, cl_mem buffer,
                            uint64_t first, const void *host, rh_error *error) {
  uint32_t bytes = custom->op.constants_size;
  rh_operator_bind(custom, NULL, operands->bound);
  operands->n = custom->n_operands;
  operands->arrays.constants = operands->bound;
  for (uint32_t k = 0; k < operands->n; k++) {
    operands->buffers[k] = buffer;
    operands->at[k] = (first + offsets[k]) / rh_type_size(custom->operands[k].type);
    operands->arrays.operands[k] = (const char *)host + offsets[k];
  }
  if (!session || operands->constants) return RH_OK;
  return rh_cl_buffer(session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      bytes ? bytes : sizeof *operands->bound, operands->bound,
                      "allocating the constants", &operands->constants, error);
}

void rh_operands_finish(rh_operands *operands) {
  if (operands->constants) clReleaseMemObject(operands->constants);
  operands->constants = NULL;
}
