#include "catalog.h"

static void add_exactness(rh_traits *traits, rh_type type, uint32_t flags) {
  int exact = (flags & RH_OP_EXACT) != 0;
  int *of = rh_type_is_float(type) ? &traits->exact_floats : &traits->exact_integers;
  uint32_t floats = 1u << RH_TYPE_f16 | 1u << RH_TYPE_f32 | 1u << RH_TYPE_f64;
  uint32_t before = traits->types & (rh_type_is_float(type) ? floats : ~floats);
  *of = before ? *of && exact : exact;
}

/* Takes an operator that was made for operands of the type; 0: of several types. */
static void add_made(rh_traits *traits, rh_type type, const rh_custom *made) {
  static const char names[][RH_OPERATOR_NAME_BYTES] = {"value", "index"};
  uint32_t own = made->face.n_results;
  if (!traits->n_results) {
    traits->commutes = (made->op.flags & RH_OP_COMMUTATIVE) != 0;
    traits->n_results = own ? own : made->op.flags & RH_OP_INDEXED ? 2 : 1;
    memcpy(traits->results, own ? made->results : names, own ? sizeof made->results : sizeof names);
  }
  if (made->op.value_size > traits->value_bytes) traits->value_bytes = made->op.value_size;
  if (!type) return;
  add_exactness(traits, type, made->op.flags);
  traits->types |= 1u << type;
}

/* types[k]: of operand k. */
static rh_status try_types(rh_custom **made, const rh_definition *definition, const rh_type *types,
                           rh_error *error) {
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  for (uint32_t k = 0; k < definition->n_operands; k++) {
    snprintf(operands[k].name, RH_OPERATOR_NAME_BYTES, "%s", definition->operands[k]);
    operands[k].type = types[k];
  }
  return rh_custom_create(made, definition, operands, definition->n_operands, NULL, 0, error);
}

/* Some operators need integers and floats: a value and a mask. */
static rh_status try_mixed(rh_traits *traits, const rh_definition *definition) {
  rh_type types[RH_MOST_OPERANDS] = {0};
  rh_custom *made;
  for (uint32_t mask = 1; mask + 1 < 1u << definition->n_operands; mask++) {
    for (uint32_t k = 0; k < definition->n_operands; k++)
      types[k] = mask >> k & 1 ? RH_TYPE_i32 : RH_TYPE_f32;
    if (try_types(&made, definition, types, NULL) != RH_OK) continue;
    add_made(traits, 0, made);
    rh_custom_destroy(made);
    return RH_OK;
  }
  return RH_E_FILE;
}

rh_status rh_traits_find(rh_traits *traits, const rh_definition *definition, rh_error *error) {
  /* The first ones are the likeliest, and their message is shown. */
  static const rh_type order[RH_N_TYPES] = {RH_TYPE_f32, RH_TYPE_f64, RH_TYPE_f16, RH_TYPE_i32,
                                            RH_TYPE_u32, RH_TYPE_i64, RH_TYPE_u64, RH_TYPE_i8,
                                            RH_TYPE_u8,  RH_TYPE_i16, RH_TYPE_u16};
  rh_error first = {0}, why = {0};
  *traits = (rh_traits){0};
  for (size_t j = 0; j < RH_N_TYPES; j++) {
    rh_type types[RH_MOST_OPERANDS];
    rh_custom *made;
    for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) types[k] = order[j];
    if (try_types(&made, definition, types, j ? &why : &first) == RH_E_NOMEM)
      return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
    if (!made) continue;
    add_made(traits, order[j], made);
    rh_custom_destroy(made);
  }
  if (traits->types || try_mixed(traits, definition) == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s", first.message);
}
