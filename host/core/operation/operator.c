#include "operation.h"

rh_status rh_operator_find(const rh_operator **op, uint32_t number, rh_type type, rh_error *error) {
  if ((*op = rh_operator_builtin(number, type))) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "operator %s is not defined for %s, only for %s",
                 rh_op_name(number), rh_type_name(type), rh_op_domain(number));
}

const rh_op *rh_operator_values(const rh_operator *self) {
  return self->is_struct ? self->abi : rh_op_find(self->base, self->type);
}

uint32_t rh_operator_element_bytes(const rh_operator *self) {
  uint32_t bytes = 0;
  for (uint32_t k = 0; k < self->n_operands; k++) bytes += rh_type_size(self->operands[k].type);
  return bytes;
}

void rh_operator_set_base(const rh_operator *self, void *constants, uint64_t base) {
  char *end = (char *)constants + self->abi->constants_size;
  if (self->has_base) memcpy(end - sizeof base, &base, sizeof base);
}
