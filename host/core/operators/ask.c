/* What an operator is, and the expressions over its operands. */
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "make.h"

#include <string.h>

rh_status rh_operator_expressions(const rh_operator *self, rh_exprs **made, rh_error *error) {
  rh_expr_variable variables[RH_MOST_OPERANDS];
  rh_expr_constant constants[RH_MOST_CONSTANTS];
  for (uint32_t k = 0; k < self->n_operands; k++)
    variables[k] = (rh_expr_variable){self->operands[k].name, self->operands[k].type};
  for (uint32_t k = 0; k < self->n_lets; k++)
    constants[k] = (rh_expr_constant){self->lets[k].name, self->lets[k].value};
  return rh_exprs_create(made, variables, self->n_operands, constants, self->n_lets, 1, error);
}

int rh_operator_has_operands(const rh_operator *self) {
  return self->n_operands > 1 || rh_exprs_constants_size(self->load) > 0 || self->uses_index;
}

int rh_operator_needs_an_element(const rh_operator *self) {
  int needs = 0;
  for (uint32_t k = 0; k < self->n_parts; k++) needs |= rh_op_needs_an_element(self->parts[k].op);
  return needs;
}

uint32_t rh_operator_element_bytes(const rh_operator *self) {
  uint32_t bytes = 0;
  for (uint32_t k = 0; k < self->n_operands; k++) bytes += rh_type_size(self->operands[k].type);
  return bytes;
}

void rh_operator_set_constants(rh_operator *self, const rh_expr_value *values) {
  for (uint32_t k = 0; k < self->n_lets; k++) self->lets[k].value = values[k];
  rh_exprs_set_constants(self->load, values);
  if (self->finalize) rh_exprs_set_constants(self->finalize, values);
}

rh_status rh_operator_check_constants(const rh_operator *self, const rh_expr_value *values,
                                      rh_error *error) {
  RH_TRY(rh_exprs_check_constants(self->load, values, error));
  return self->finalize ? rh_exprs_check_constants(self->finalize, values, error) : RH_OK;
}

void rh_operator_take_base(rh_operator *self) {
  if (!self->uses_index || self->has_base) return;
  self->has_base = 1;
  self->op.constants_size += RH_CONSTANT_BYTES;
  self->op.n_parts = 0; /* each alone would count from 0 */
}

void rh_operator_set_base(const rh_operator *self, void *constants, uint64_t base) {
  char *end = (char *)constants + self->op.constants_size;
  if (self->has_base) memcpy(end - sizeof base, &base, sizeof base);
}

void rh_operator_bind(const rh_operator *self, uint64_t n, void *constants) {
  rh_exprs_bind(self->load, n, constants);
  rh_operator_set_base(self, constants, 0);
}

/* ---- Rounding once ---- */

static int is_sum_of_its_form(const rh_operator *self) {
  int is_product = self->op.form == RH_FORM_PRODUCT;
  int is_wide = rh_type_size(self->type) != self->op.element_size;
  if (self->is_struct || self->finalize || !rh_type_is_float(self->type) || is_wide) return 0;
  if (self->base == RH_OP_asum) return self->op.form == RH_FORM_ELEMENT;
  return self->base == RH_OP_sum && (is_product || self->op.form == RH_FORM_ELEMENT);
}

rh_status rh_operator_round_once(rh_operator *self, rh_error *error) {
  if (self->op.flags & RH_OP_EXACT) return RH_OK;
  if (!is_sum_of_its_form(self))
    return rh_fail(
        error, RH_DECLINED,
        "'%s' cannot be rounded once: sum and asum of floats can, and the sum of x*y where "
        "both are f32 or both f64, without a condition or finalize",
        self->name);
  self->rounds_once = 1;
  return RH_OK;
}

int rh_operator_keeps_products(const rh_operator *self) {
  return self->rounds_once && self->op.form == RH_FORM_PRODUCT;
}

double rh_operator_map_error(const rh_operator *self) {
  if (rh_operator_keeps_products(self)) return self->type == RH_TYPE_f64 ? 0x1p-53 : 0x1p-24;
  return rh_exprs_error(self->load);
}
