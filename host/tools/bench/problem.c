#include "problem.h"
#include "../../core/reduce/operand_data.h"

int rh_bench_is_defined(const rh_bench_settings *settings, uint32_t t, uint32_t op) {
  return settings->own[t] || rh_op_is_defined(op, settings->types.list[t]);
}

rh_job_spec rh_bench_problem(const rh_bench_settings *settings, uint32_t t, uint32_t op,
                             uint64_t n) {
  const rh_operator *own = settings->own[t];
  rh_job_spec spec = {.op = op, .type = settings->types.list[t], .n = n};
  if (!own) return spec;
  spec.custom = own;
  spec.op = own->base;
  spec.type = own->type;
  rh_operand_layout(&spec, spec.offsets);
  return spec;
}

uint32_t rh_bench_element_bytes(const rh_bench_settings *settings, uint32_t t) {
  const rh_operator *own = settings->own[t];
  return own ? rh_operator_element_bytes(own) : rh_type_size(settings->types.list[t]);
}

const char *rh_bench_op_name(const rh_bench_settings *settings, uint32_t op) {
  return op ? rh_op_name(op) : settings->own[0]->name;
}
