#include "asked.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "../catalog/texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rh_status check_name(const char *name, const char *what, rh_error *error) {
  if (name && rh_operator_is_name(name, strlen(name))) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "%s '%.64s': a name has letters, digits and underscores, and begins with no digit",
                 what, name ? name : "(null)");
}

static rh_expr_value value_of(const rh_constant *constant) {
  rh_expr_value value = {.is_float = constant->is_float != 0, .as = {.i = constant->value.i}};
  if (constant->is_float) value.as.f = constant->value.f;
  return value;
}

static rh_status take_inputs(const rh_request *asked, rh_operand *operands, uint32_t *n,
                             rh_error *error) {
  const rh_input only = {.type = asked->type};
  const rh_input *inputs = asked->inputs ? asked->inputs : &only;
  uint64_t given = asked->inputs ? asked->n_inputs : 1;
  if (given == 0 || given > RH_MOST_OPERANDS)
    return rh_fail(error, RH_E_USAGE, "%llu inputs; an operator has 1 to %d",
                   (unsigned long long)given, RH_MOST_OPERANDS);
  *n = (uint32_t)given;
  for (uint32_t k = 0; k < *n; k++) {
    const char *name = inputs[k].name ? inputs[k].name : rh_operand_usual_name(k);
    RH_TRY(check_name(name, "input", error));
    if (!rh_type_name(inputs[k].type))
      return rh_fail(error, RH_E_USAGE, "input %s: unknown type %u", name, inputs[k].type);
    snprintf(operands[k].name, sizeof operands[k].name, "%s", name);
    operands[k].type = inputs[k].type;
  }
  return RH_OK;
}

static rh_status take_constants(const rh_request *asked, rh_let *lets, rh_error *error) {
  if (asked->n_constants > RH_MOST_LETS || (asked->n_constants && !asked->constants))
    return rh_fail(error, RH_E_USAGE, "%llu constants, or none where some are counted; at most %d",
                   (unsigned long long)asked->n_constants, RH_MOST_LETS);
  for (uint64_t k = 0; k < asked->n_constants; k++) {
    RH_TRY(check_name(asked->constants[k].name, "constant", error));
    snprintf(lets[k].name, sizeof lets[k].name, "%s", asked->constants[k].name);
    lets[k].value = value_of(&asked->constants[k]);
  }
  return RH_OK;
}

static rh_status make_own(const rh_request *asked, const rh_context *context,
                          const rh_operator_texts *texts, rh_custom **made, rh_error *error) {
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  rh_let lets[RH_MOST_LETS] = {0};
  rh_definition definition = {0};
  uint32_t n = 0;
  RH_TRY(take_inputs(asked, operands, &n, error));
  RH_TRY(take_constants(asked, lets, error));
  rh_status status = rh_definition_compose(&definition, texts, &context->options, error);
  if (status == RH_OK)
    status =
        rh_catalog_make(made, &definition, operands, n, lets, (uint32_t)asked->n_constants, error);
  rh_definition_finish(&definition);
  return status;
}

rh_status rh_asked_name(const rh_request *asked, rh_context *context, rh_job_spec *spec,
                        rh_custom **made, rh_error *error) {
  const rh_operator_texts texts = {.op = asked->op,
                                   .map = asked->map,
                                   .where = asked->where,
                                   .reduce = asked->reduce,
                                   .identity = asked->identity,
                                   .finalize = asked->finalize,
                                   .commutes = (int)asked->commutes,
                                   .known = &context->definitions};
  *made = NULL;
  if (!asked->inputs && !asked->n_inputs && !asked->n_constants &&
      !rh_operator_texts_are_own(&texts))
    return rh_operator_named(&spec->op, asked->op, asked->type, error);
  RH_TRY(make_own(asked, context, &texts, made, error));
  spec->op = &(*made)->face;
  return RH_OK;
}

/* An integer stays one: its type decided those of the expressions that have it. */
static rh_status convert(const rh_constant *constant, rh_expr_value *value, rh_error *error) {
  rh_expr_value given = value_of(constant);
  if (given.is_float == value->is_float) {
    *value = given;
    return RH_OK;
  }
  if (value->is_float) {
    value->as.f = (double)given.as.i;
    return RH_OK;
  }
  if (!(fabs(given.as.f) < 0x1p63) || given.as.f != trunc(given.as.f))
    return rh_fail(error, RH_E_USAGE, "constant %s was an integer at first and cannot become %g",
                   constant->name, given.as.f);
  *value = (rh_expr_value){.as = {.i = (int64_t)given.as.f}};
  return RH_OK;
}

static rh_status change_one(const rh_custom *self, const rh_constant *constant,
                            rh_expr_value *values, rh_error *error) {
  for (uint32_t k = 0; k < self->n_lets; k++)
    if (constant->name && strcmp(self->lets[k].name, constant->name) == 0)
      return convert(constant, &values[k], error);
  return rh_fail(error, RH_E_USAGE, "there is no constant '%.64s'",
                 constant->name ? constant->name : "(null)");
}

rh_status rh_asked_change(const rh_custom *self, const rh_constant *constants, uint64_t n,
                          rh_expr_value values[RH_MOST_CONSTANTS], rh_error *error) {
  for (uint32_t k = 0; k < self->n_lets; k++) values[k] = self->lets[k].value;
  for (uint64_t k = 0; k < n; k++) RH_TRY(change_one(self, &constants[k], values, error));
  return rh_custom_check_constants(self, values, error);
}
