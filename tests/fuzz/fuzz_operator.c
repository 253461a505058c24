/* host/operators/custom: operator files.  What was read has one text for each of its parts, and is
 * made or refused with the place in the file. */
#include "../../host/operators/custom/custom.h"
#include "fuzz.h"

static void check_texts(const rh_definition *definition) {
  RULE(rh_definition_name_is_valid(definition->name));
  RULE(!rh_op_from_name(definition->name));
  RULE(definition->n_operands >= 1 && definition->n_operands <= RH_MOST_OPERANDS);
  for (uint32_t k = 0; k < definition->n_operands; k++)
    RULE(rh_definition_name_is_valid(definition->operands[k]));
  RULE(definition->n_fields <= RH_MOST_FIELDS && definition->n_lets <= RH_MOST_LETS);
  RULE(definition->n_results <= RH_MOST_FIELDS);
  if (!definition->n_fields) RULE(definition->ops && definition->map);
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    const rh_field_text *field = &definition->fields[k];
    RULE(rh_type_size(field->type) >= 4);
    if (definition->code || definition->code_file) continue;
    RULE(field->load && field->identity && field->combine);
  }
  RULE(definition->n_constants <= RH_MOST_CONSTANTS);
  RULE(!definition->code || !definition->code_file); /* no file was opened */
  for (uint32_t k = 0; k < definition->n_lets; k++) RULE(definition->lets[k].text);
  for (uint32_t k = 0; k < definition->n_results; k++) RULE(definition->results[k].text);
}

/* One element of zeros: the operator's functions can be called. */
static void use_operator(const rh_custom *made) {
  static const uint64_t zeros[2];
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  uint64_t constants[RH_EXPR_MOST_SLOTS] = {0};
  rh_result result;
  rh_arrays arrays = {.constants = constants};
  if (!made->face.is_struct) return;
  for (uint32_t k = 0; k < made->face.n_operands; k++) arrays.operands[k] = zeros;
  rh_custom_load(made, value, &arrays, 0);
  rh_custom_combine(made, value, made->identity);
  made->face.calls->decode(&made->face, value, 1, &result);
}

static void make_operator(const rh_definition *definition, rh_type type) {
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  rh_custom *made;
  rh_error error = {0};
  for (uint32_t k = 0; k < definition->n_operands; k++) operands[k].type = type;
  rh_status status =
      rh_custom_create(&made, definition, operands, definition->n_operands, NULL, 0, &error);
  if (status == RH_OK) {
    use_operator(made);
  } else {
    fuzz_check_refusal(status, &error, RH_E_USAGE);
    RULE(strncmp(error.message, "in.op.json", 10) == 0);
    RULE(!made);
  }
  rh_custom_destroy(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rh_definition definition;
  rh_error error = {0};
  char *text = malloc(size ? size : 1); /* no terminator: what reads beyond it is found */
  RULE(text);
  memcpy(text, data, size);
  rh_status status = rh_definition_read(&definition, text, size, "in.op.json", &error);
  free(text);
  if (status == RH_OK) {
    check_texts(&definition);
    make_operator(&definition, RH_TYPE_f32);
    make_operator(&definition, RH_TYPE_u64);
  } else {
    fuzz_check_refusal(status, &error, RH_E_FILE);
    RULE(strncmp(error.message, "in.op.json:", 11) == 0);
  }
  rh_definition_finish(&definition);
  return 0;
}
