/* Questions about an operator, and the expressions over its operands. */
#include "internal.h"

rh_status rh_custom_expressions(const rh_custom *self, rh_exprs **made, rh_error *error) {
  return rh_exprs_create(made, self->operands, self->face.n_operands, self->lets, self->n_lets, 1,
                         error);
}

void rh_custom_set_constants(rh_custom *self, const rh_expr_value *values) {
  for (uint32_t k = 0; k < self->n_lets; k++) self->lets[k].value = values[k];
  rh_exprs_set_constants(self->load, values);
  if (self->finalize) rh_exprs_set_constants(self->finalize, values);
}

rh_status rh_custom_check_constants(const rh_custom *self, const rh_expr_value *values,
                                    rh_error *error) {
  RH_TRY(rh_exprs_check_constants(self->load, values, error));
  return self->finalize ? rh_exprs_check_constants(self->finalize, values, error) : RH_OK;
}

void rh_custom_take_base(rh_custom *self) {
  if (!self->face.uses_index || self->face.has_base) return;
  self->face.has_base = 1;
  self->op.constants_size += RH_CONSTANT_BYTES;
  self->op.n_parts = 0; /* each alone would count from 0 */
}

rh_status rh_custom_round_once(rh_custom *self, rh_error *error) {
  uint32_t base = self->face.base;
  int is_element = rh_exprs_is_element(self->load);
  int is_product = self->op.form == RH_FORM_PRODUCT && !self->finalize;
  int can = base == RH_OP_asum ? is_element : base == RH_OP_sum && (is_product || is_element);
  self->face.divides = self->finalize && !self->face.is_struct && base == RH_OP_sum &&
                       rh_exprs_is_quotient(self->finalize); /* a mean */
  if (self->op.flags & RH_OP_EXACT) return RH_OK;
  if (!can || self->face.is_struct || (self->finalize && !self->face.divides))
    return rh_fail(error, RH_DECLINED,
                   "'%s' cannot be rounded once: sum, asum and mean of floats can, and the sum of "
                   "x*y where both are f32 or both f64, without a condition or another finalize",
                   self->name);
  self->face.rounds_once = 1;
  /* Products of f32 in f64 are not rounded either. */
  int is_wide = rh_type_size(self->face.type) != self->op.element_size;
  if (self->op.form != RH_FORM_PRODUCT || is_wide) return RH_OK;
  self->face.keeps_products = 1;
  self->face.map_error = self->face.type == RH_TYPE_f64 ? 0x1p-53 : 0x1p-24;
  return RH_OK;
}
