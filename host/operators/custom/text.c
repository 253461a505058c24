#include "custom.h"

/* Each of these reads a part of a key, whose texts it borrows, and returns 0, or -1. */

static int get_constant(json_t *from, rh_let *let) {
  const char *name, *kind;
  if (json_unpack(from, "{s:s, s:s}", "name", &name, "kind", &kind) != 0) return -1;
  let->value.is_float = strcmp(kind, "float") == 0;
  return snprintf(let->name, sizeof let->name, "%s", name) < (int)sizeof let->name ? 0 : -1;
}

static int get_named(json_t *from, rh_named_text *to) {
  return json_unpack(from, "{s:s, s:s}", "name", &to->name, "text", &to->text);
}

static int get_field(json_t *from, rh_field_text *to) {
  const char *type = NULL;
  int failed = json_unpack(from, "{s?s, s?s, s?s, s?s, s?s}", "combine", &to->combine, "identity",
                           &to->identity, "load", &to->load, "name", &to->name, "type", &type);
  to->type = type ? rh_type_from_name(type) : 0;
  return failed || (type && !to->type) ? -1 : 0;
}

static int get_operand(json_t *from, rh_operand *to) {
  const char *name, *type;
  if (json_unpack(from, "{s:s, s:s}", "name", &name, "type", &type) != 0) return -1;
  to->type = rh_type_from_name(type);
  if (!to->type) return -1;
  return snprintf(to->name, sizeof to->name, "%s", name) < (int)sizeof to->name ? 0 : -1;
}

/* A list of at most as many as the array has. */
#define GET_LIST(key, array, n, get_one)                                                           \
  json_array_foreach(json_object_get(from, key), k, item) {                                        \
    if (k == sizeof(array) / sizeof *(array) || get_one(item, &(array)[(n)++]) != 0) return -1;    \
  }
static int get_whole(json_t *from, rh_definition *to, rh_operand (*operands)[RH_MOST_OPERANDS],
                     uint32_t *n_operands) {
  const char *claim = "";
  json_t *item;
  size_t k;
  GET_LIST("constants", to->constants, to->n_constants, get_constant)
  GET_LIST("finalize", to->results, to->n_results, get_named)
  GET_LIST("let", to->lets, to->n_lets, get_named)
  GET_LIST("operands", *operands, *n_operands, get_operand)
  GET_LIST("value", to->fields, to->n_fields, get_field)
  if (json_unpack(from, "{s?s, s?s, s?s, s?s, s?s, s?s}", "code", &to->code, "initial",
                  &to->initial, "map", &to->map, "op", &to->ops, "where", &to->where, "claim",
                  &claim) != 0)
    return -1;
  if (strcmp(claim, "commutative") == 0) to->flags = RH_OP_COMMUTATIVE;
  return 0;
}

static int read_constant(const json_t *number, rh_expr_value *value) {
  static const char mark[] = " of the bits ";
  const char *digits = json_string_value(number);
  char *end;
  double x = json_real_value(number);
  value->x = value->is_float ? (long double)x : (long double)json_integer_value(number);
  if (value->is_float ? json_is_real(number) : json_is_integer(number)) return 0;
  if (digits && value->is_float && (digits = strstr(digits, mark))) digits += strlen(mark);
  if (!digits) return -1;
  errno = 0;
  uint64_t bits = strtoull(digits, &end, value->is_float ? 16 : 10);
  memcpy(&x, &bits, sizeof x);
  value->x = value->is_float ? (long double)x : (long double)bits;
  return errno || end == digits || *end ? -1 : 0;
}

/* rh_custom_create() takes these for granted. */
static int is_definition(const rh_definition *definition) {
  int is_right = definition->ops || definition->n_fields;
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    const rh_field_text *field = &definition->fields[k];
    int may_lack = !definition->code && definition->n_fields == 1; /* it is the map's */
    is_right &= definition->code || (field->identity && field->combine);
    is_right &= field->type ? rh_type_size(field->type) >= sizeof(uint32_t) : may_lack;
  }
  return is_right;
}

static rh_status read_operator(rh_operation *operation, rh_custom **own, const json_t *object,
                               rh_error *error) {
  json_t *op = json_object_get(object, "operator");
  const json_t *constants = json_object_get(object, "constants");
  const char *built_in = json_string_value(json_object_get(op, "op"));
  const char *type = json_string_value(json_object_get(op, "type"));
  const char *name = json_string_value(json_object_get(object, "name"));
  rh_definition of = {0};
  rh_operand operands[RH_MOST_OPERANDS];
  uint32_t n_operands = 0;
  if (built_in && type) {
    operation->op = rh_operator_builtin(rh_op_from_name(built_in), rh_type_from_name(type));
    return operation->op ? RH_OK : rh_fail(error, RH_E_FILE, "there is no such operator");
  }
  int failed = !name || get_whole(op, &of, &operands, &n_operands) != 0;
  for (uint32_t k = 0; k < of.n_constants; k++) {
    rh_let *let = &of.constants[k];
    failed |= read_constant(json_object_get(constants, let->name), &let->value) != 0;
  }
  if (failed || !is_definition(&of))
    return rh_fail(error, RH_E_FILE, "the operator cannot be read");
  RH_TRY(rh_custom_create(own, &of, operands, n_operands, NULL, 0, error));
  snprintf((*own)->name, sizeof(*own)->name, "%s", name);
  operation->op = &(*own)->face;
  return RH_OK;
}

static rh_status read_whole(rh_operation *operation, rh_custom **own, const char *text,
                            const json_t *object, rh_error *error) {
  const char *accuracy = json_string_value(json_object_get(object, "accuracy"));
  const char *check = json_string_value(json_object_get(object, "check"));
  rh_difference found;
  if (rh_operation_is_foreign(text, &found)) return rh_fail(error, RH_E_FILE, "%s", found.words);
  RH_TRY(read_operator(operation, own, object, error));
  operation->accuracy = accuracy && strcmp(accuracy, "exact") == 0 ? RH_ACCURACY_EXACT : 0;
  while (check && operation->check < RH_CHECK_NONE &&
         strcmp(check, rh_check_name(operation->check)) != 0)
    operation->check++;
  RH_FREED(char) mine = rh_operation_text(operation, json_deep_copy(object));
  if (!mine) return rh_fail(error, RH_E_NOMEM, "no memory for an operation");
  if (!rh_operation_differ(text, mine, &found)) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s", found.words);
}

rh_status rh_operation_read(rh_operation *operation, rh_custom **own, const char *text,
                            rh_error *error) {
  json_auto_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  *operation = (rh_operation){.n = 0};
  *own = NULL;
  rh_status status = json_is_object(object)
                         ? read_whole(operation, own, text, object, error)
                         : rh_fail(error, RH_E_FILE, "the operation cannot be read");
  if (status == RH_OK) return RH_OK;
  rh_custom_destroy(*own);
  *own = NULL;
  return status;
}
