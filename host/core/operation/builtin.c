/* Built-in operators as constants, a face for each row; and the OpenCL C that precedes every
 * plugin's source: macros for the operator and type, then kernels/prelude. */
#include "internal.h"

#include "prelude.cl.h"

void rh_prelude_append(rh_text *text) {
  rh_text_add(text, "#line 1 \"prelude.cl\"\n");
  rh_text_append(text, prelude_cl, sizeof prelude_cl - 1);
}

char *rh_op_prelude(const char *op, rh_type type) {
  rh_text text = {0};
  rh_text_add(&text, "#define RH_OP_%s 1\n#define RH_TYPE_%s 1\n", op, rh_type_name(type));
  rh_prelude_append(&text);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}

static char *prelude(const rh_operator *self) { return rh_op_prelude(self->name, self->type); }

static const rh_operator_calls calls = {
    .prelude = prelude, .decode = rh_operator_decode_base, .results = rh_operator_results_base};

#define OPERAND(type_) [RH_TYPE_##type_] = {"x", RH_TYPE_##type_},
static const rh_operand operands[RH_N_TYPES + 1] = {
    OPERAND(i8) OPERAND(u8) OPERAND(i16) OPERAND(u16) OPERAND(i32) OPERAND(u32) OPERAND(i64)
        OPERAND(u64) OPERAND(f16) OPERAND(f32) OPERAND(f64)};

#define NEEDS_AN_ELEMENT(op)                                                                       \
  ((op) == RH_OP_min || (op) == RH_OP_max || (op) == RH_OP_argmin || (op) == RH_OP_argmax ||       \
   (op) == RH_OP_amax || (op) == RH_OP_argamax)
#define OPERATOR(op_, type_)                                                                       \
  [RH_OP_##op_][RH_TYPE_##type_] = {                                                               \
      .calls = &calls,                                                                             \
      .abi = &rh_op_rows[RH_OP_##op_][RH_TYPE_##type_],                                            \
      .name = #op_,                                                                                \
      .key = "{\"op\":\"" #op_ "\",\"type\":\"" #type_ "\"}",                                      \
      .base = RH_OP_##op_,                                                                         \
      .type = RH_TYPE_##type_,                                                                     \
      .n_operands = 1,                                                                             \
      .operands = &operands[RH_TYPE_##type_],                                                      \
      .needs_an_element = NEEDS_AN_ELEMENT(RH_OP_##op_),                                           \
      .uses_f64 = RH_TYPE_##type_ == RH_TYPE_f64,                                                  \
      .count_slot = -1,                                                                            \
  },
#define OPERATOR_SCALAR(op, type, element, scalar, convert, apply, identity) OPERATOR(op, type)
#define OPERATOR_INDEXED(op, type, element, key, convert, beats, identity)   OPERATOR(op, type)
#define OPERATOR_SCALED(op, type, element, value_type, convert)              OPERATOR(op, type)

static const rh_operator built_in[RH_N_OPS + 1][RH_N_TYPES + 1] = {
    ROWS(OPERATOR_SCALAR, OPERATOR_INDEXED, OPERATOR_SCALED)};

const rh_operator *rh_operator_builtin(uint32_t op, rh_type type) {
  return rh_op_is_defined(op, type) ? &built_in[op][type] : NULL;
}

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
