/* Makes an operator of a definition and the types of its operands. */
#include "internal.h"

/* ---- Operands and constants ---- */

static rh_status take_operands(rh_custom *self, const rh_definition *definition,
                               const rh_operand *operands, uint32_t n, rh_error *error) {
  if (n == 0 || n > RH_MOST_OPERANDS)
    return rh_fail(error, RH_E_USAGE, "%u operands; an operator has 1 to %d", n, RH_MOST_OPERANDS);
  /* The condition reads those behind its own. */
  int has_more = definition->where && n > definition->n_operands;
  if (definition->n_operands && definition->n_operands != n && !has_more)
    return rh_fail(error, RH_E_USAGE, "operator %s reads %u operand%s, not %u", definition->name,
                   definition->n_operands, definition->n_operands == 1 ? "" : "s", n);
  self->face.n_operands = n;
  memcpy(self->operands, operands, n * sizeof *operands);
  for (uint32_t k = 0; k < definition->n_operands; k++)
    snprintf(self->operands[k].name, RH_OPERATOR_NAME_BYTES, "%s", definition->operands[k]);
  return RH_OK;
}

/* Adds those of the definition that were not given. */
static rh_status add_constants(rh_custom *self, const rh_definition *definition, rh_error *error) {
  uint32_t given = self->n_lets;
  for (uint32_t k = 0; k < definition->n_constants; k++) {
    const rh_let *constant = &definition->constants[k];
    uint32_t j = 0;
    while (j < given && strcmp(self->lets[j].name, constant->name) != 0) j++;
    if (j < given) continue;
    if (self->n_lets == RH_MOST_CONSTANTS)
      return rh_fail(error, RH_E_USAGE, "at most %d constants", RH_MOST_CONSTANTS);
    self->lets[self->n_lets++] = *constant;
  }
  return RH_OK;
}

/* "x" and "x2" can be told apart, but not two of one name. */
static rh_status check_names(const rh_custom *self, int has_results, rh_error *error) {
  for (uint32_t k = 0; k < self->n_lets; k++)
    if (!rh_definition_name_is_valid(self->lets[k].name) ||
        (has_results && strcmp(self->lets[k].name, "a") == 0)) /* a word of finalize */
      return rh_fail(error, RH_E_USAGE, "constant %s: the name is taken", self->lets[k].name);
  for (uint32_t k = 0; k < self->n_lets; k++)
    for (uint32_t j = 0; j < self->face.n_operands + k; j++) {
      const char *name = self->lets[k].name;
      int is_operand = j < self->face.n_operands;
      const char *other =
          is_operand ? self->operands[j].name : self->lets[j - self->face.n_operands].name;
      if (strcmp(name, other) == 0)
        return rh_fail(error, RH_E_USAGE, "constant %s: %s", name,
                       is_operand ? "the name is taken" : "it has two values; give it one");
    }
  return RH_OK;
}

/* rh_exprs_constant_types() of all its expressions. */
static uint32_t constant_types(const rh_custom *self, uint32_t constant) {
  uint32_t types = rh_exprs_constant_types(self->load, constant);
  return self->finalize ? types | rh_exprs_constant_types(self->finalize, constant) : types;
}

/* ---- Mapped operators ---- */

static rh_status parse_map(rh_custom *self, const rh_definition *definition, rh_error *error) {
  const char *what = RH_WHAT(definition, "map", RH_ITEM_WHOLE);
  RH_TRY(rh_custom_expressions(self, &self->load, error));
  return rh_exprs_outputs(self->load, definition->map ? definition->map : self->operands[0].name,
                          what, error);
}

/* The map is self->load. */
static rh_status make_mapped(rh_custom *self, const rh_definition *definition, uint32_t op,
                             rh_error *error) {
  self->face.base = op;
  self->face.type = rh_exprs_type(self->load, 0);
  const rh_op *row = rh_op_find(op, self->face.type);
  if (!row) {
    rh_fail(error, RH_E_USAGE,
            "operator %s is not defined for %s, the type of '%.100s', only for %s", rh_op_name(op),
            rh_type_name(self->face.type),
            definition->map ? definition->map : self->operands[0].name, rh_op_domain(op));
    return rh_definition_blame(definition, "op", RH_ITEM_WHOLE, error);
  }
  self->op.flags = row->flags;
  self->op.value_size = row->value_size;
  self->op.identity = row->identity;
  self->n_parts = 1;
  self->parts[0] = (rh_operator_part){op, self->face.type, 0, sizeof(uint64_t)};
  return RH_OK;
}

/* ---- Either form ---- */

/* For which a definition may say something of its own: of several operands, the one that holds the
 * values of all; of signed and unsigned integers a signed one. */
static rh_type common_type(const rh_operand *operands, uint32_t n) {
  uint32_t size = 0, types = 0;
  int is_signed = 0;
  for (uint32_t k = 0; k < n; k++) {
    rh_type type = operands[k].type;
    types |= 1u << type;
    is_signed |= rh_type_is_signed(type);
    if (rh_type_size(type) > size) size = rh_type_size(type);
  }
  if (types >> RH_TYPE_f64 & 1) return RH_TYPE_f64;
  if (types >> RH_TYPE_f32 & 1) return RH_TYPE_f32;
  if (types >> RH_TYPE_f16 & 1) return RH_TYPE_f16;
  rh_type type = RH_TYPE_i8;
  while (rh_type_size(type) != size || rh_type_is_signed(type) != is_signed) type++;
  return type;
}

static rh_status make_form(rh_custom *self, const rh_definition *definition, rh_error *error) {
  uint32_t ops[RH_MOST_FIELDS], n_ops;
  for (uint32_t k = 0; k < definition->n_results && definition->where; k++)
    self->has_count |= rh_definition_mentions(definition->results[k].text, "n");
  if (definition->n_fields) return rh_custom_make_fields(self, definition, error);
  RH_TRY(rh_custom_parse_ops(definition, ops, &n_ops, error));
  RH_TRY(parse_map(self, definition, error));
  /* An index comes with each element, so that only a struct can leave one out. */
  int is_masked = definition->where && rh_op_flags(ops[0], RH_TYPE_u64) & RH_OP_INDEXED;
  int is_struct = n_ops > 1 || rh_exprs_count(self->load) > 1 || is_masked;
  if (!is_struct && !self->has_count) return make_mapped(self, definition, ops[0], error);
  rh_exprs *maps = self->load;
  self->load = NULL;
  rh_status status = rh_custom_make_parts(self, definition, ops, n_ops, maps, error);
  rh_exprs_destroy(maps);
  return status;
}

/* The definition's condition, for a load that is made: elements for which it is false change
 * nothing. */
static rh_status make_where(rh_custom *self, const rh_definition *definition, rh_error *error) {
  const void *values[RH_MOST_FIELDS];
  rh_result none;
  uint64_t element = 0; /* the operator's result of no elements */
  const char *what = RH_WHAT(definition, "where", RH_ITEM_WHOLE);
  if (!definition->where) return RH_OK;
  self->face.is_masked = 1;
  if (self->code)
    return rh_fail(error, RH_E_USAGE, "%s: operator %s is in OpenCL C, whose rh_load() chooses",
                   what, definition->name);
  if (!self->face.is_struct) {
    if (self->face.base == RH_OP_affine)
      return rh_fail(error, RH_E_USAGE, "%s: %s takes all elements", what,
                     rh_op_name(self->face.base));
    rh_op_result(self->face.base, self->face.type, self->op.identity, &none);
    rh_element_store(self->face.type, &none.value, &element);
    values[0] = &element;
  }
  for (uint32_t k = 0; k < self->n_fields; k++) values[k] = self->identity + self->fields[k].offset;
  return rh_exprs_where(self->load, definition->where, values, what, error);
}

static rh_status check_used(const rh_custom *self, const rh_definition *definition,
                            rh_error *error) {
  for (uint32_t k = 0; k < self->face.n_operands; k++) {
    if (rh_exprs_variables(self->load, RH_EXPRS_ALL) >> k & 1) continue;
    rh_fail(error, RH_E_USAGE, "operand %s is not used", self->operands[k].name);
    return k < definition->n_operands ? rh_definition_blame(definition, "operands", k, error)
                                      : RH_E_USAGE;
  }
  return RH_OK;
}

static int uses_index(const rh_custom *self) {
  return (rh_exprs_facts(self->load, RH_EXPRS_ALL) & RH_EXPR_USES_INDEX) != 0;
}

static void describe(rh_custom *self, const rh_definition *definition) {
  rh_op *op = &self->op;
  if (definition->name) snprintf(self->name, sizeof self->name, "%s", definition->name);
  else if (definition->n_fields)
    snprintf(self->name, sizeof self->name, "%.200s", definition->fields[0].combine);
  else if (definition->map)
    snprintf(self->name, sizeof self->name, "%.100s of %.100s", definition->ops, definition->map);
  else snprintf(self->name, sizeof self->name, "%.200s", definition->ops);
  size_t length = strlen(self->name);
  if (definition->where)
    length += (size_t)snprintf(self->name + length, sizeof self->name - length, " where %.100s",
                               definition->where);
  if (definition->initial)
    snprintf(self->name + length, sizeof self->name - length, " from %.40s", definition->initial);
  op->struct_size = sizeof *op;
  op->id = RH_FIRST_USER_OP;
  op->name = self->name;
  for (uint32_t k = 0; k < self->face.n_operands; k++) {
    self->types[k] = self->operands[k].type;
    if (rh_type_size(self->types[k]) > op->element_size)
      op->element_size = rh_type_size(self->types[k]);
  }
  self->face.uses_index = self->code || uses_index(self);
  uint32_t size = rh_exprs_constants_size(self->load);
  /* A kernel needs more than a pointer to the elements. */
  if (self->face.n_operands > 1 || size > 0 || self->face.uses_index) {
    op->n_operands = self->face.n_operands;
    op->constants_size = size ? size : RH_CONSTANT_BYTES;
  }
  op->operand_types = op->n_operands ? self->types : NULL;
  rh_custom_give_functions(self);
  if (self->face.is_struct) return;
  op->mapped_op = self->face.base;
  op->mapped_type = self->face.type;
  op->form = rh_exprs_form(self->load, op->form_operands);
  int is_wide = rh_type_size(self->face.type) != op->element_size;
  if (is_wide && self->face.base != RH_OP_sum) op->form = RH_FORM_OTHER;
}

/* ---- The parts of several operators in one pass, each alone ---- */

static rh_status make_alone(rh_custom *alone, const rh_custom *whole, uint32_t op, const char *map,
                            rh_error *error) {
  const rh_definition definition = {.ops = rh_op_name(op), .map = map};
  alone->face.n_operands = whole->face.n_operands;
  memcpy(alone->operands, whole->operands, sizeof alone->operands);
  alone->n_lets = whole->n_lets;
  memcpy(alone->lets, whole->lets, sizeof alone->lets);
  RH_TRY(parse_map(alone, &definition, error));
  RH_TRY(make_mapped(alone, &definition, op, error));
  describe(alone, &definition);
  return RH_OK;
}

static rh_status take_apart(rh_custom *self, const rh_definition *definition, rh_error *error) {
  int can_be = self->n_parts > 1 && !definition->where;
  for (uint32_t k = 0; can_be && k < self->n_parts; k++) {
    rh_custom *alone = self->alone[k] = calloc(1, sizeof *alone);
    RH_FREED(char) map = rh_custom_map_of(self, definition, k);
    if (!alone || !map) return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
    RH_TRY(make_alone(alone, self, self->parts[k].op, map, error));
    /* A run's index and constants are bound for the whole's map. */
    can_be = !uses_index(alone) && rh_exprs_constants_size(alone->load) == 0;
    /* A run brings the operands as the whole wants them. */
    alone->face.uses_index = self->face.uses_index;
    alone->face.count_slot = -1;
    alone->op.n_operands = self->op.n_operands;
    alone->op.constants_size = self->op.constants_size;
    alone->op.operand_types = self->op.operand_types;
    self->apart[k] = (rh_op_part){&alone->op, self->parts[k].offset, self->parts[k].index_at};
  }
  if (!can_be) return RH_OK;
  self->op.n_parts = self->n_parts;
  self->op.parts = self->apart;
  return RH_OK;
}

/* A message about an expression begins with the place of its text in the file: it becomes that of
 * the wrong character. */
static void point_into_text(const rh_definition *definition, rh_error *error) {
  const char *at = strstr(error->message, ", at column "), *place = error->message;
  unsigned line, column, number;
  int length = 0;
  place += strnlen(definition->origin, RH_ORIGIN_BYTES);
  if (!at || sscanf(at, ", at column %u of '", &number) != 1 ||
      sscanf(place, ":%u:%u: \"%n", &line, &column, &length) != 2 || length == 0)
    return;
  char rest[sizeof error->message];
  rh_json_place begin = {line, column};
  rh_json_place exact = rh_json_place_in(definition->json, begin, number - 1);
  snprintf(rest, sizeof rest, "%s", place + length);
  snprintf(error->message + (place - error->message),
           sizeof error->message - (size_t)(place - error->message), ":%u:%u: \"%s", exact.line,
           exact.column, rest);
}

/* Messages about no text of the file in particular name it, too. */
static rh_status name_file(const rh_definition *definition, rh_status status, rh_error *error) {
  const char *file = definition->origin;
  if (!file || !error) return status;
  if (strncmp(error->message, file, strnlen(file, RH_ORIGIN_BYTES)) != 0)
    return rh_error_prefix(error, status, "%s", file);
  if (definition->json) point_into_text(definition, error);
  return status;
}

static int uses_f64(const rh_custom *self) {
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    if (self->operands[k].type == RH_TYPE_f64) return 1;
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (self->fields[k].type == RH_TYPE_f64) return 1;
  uint32_t facts = rh_exprs_facts(self->load, RH_EXPRS_ALL);
  if (self->combine) facts |= rh_exprs_facts(self->combine, RH_EXPRS_ALL);
  return self->face.type == RH_TYPE_f64 || facts & RH_EXPR_USES_F64;
}

/* ---- The key ---- all that rh_custom_create() makes it of, as JSON, but for its name and claims
 * of associativity, and the constants' values.  Members that are empty are left out. */

static json_t *named_texts(const rh_named_text *list, uint32_t n) {
  json_t *to = n ? json_array() : NULL;
  for (uint32_t k = 0; k < n; k++)
    json_array_append_new(to, json_pack("{s:s, s:s}", "name", list[k].name, "text", list[k].text));
  return to;
}

static json_t *fields_of(const rh_definition *of) {
  json_t *to = of->n_fields ? json_array() : NULL;
  for (uint32_t k = 0; k < of->n_fields; k++) {
    const rh_field_text *field = &of->fields[k];
    json_array_append_new(to, json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*}", "combine", field->combine,
                                        "identity", field->identity, "load", field->load, "name",
                                        field->name, "type", rh_type_name(field->type)));
  }
  return to;
}

static json_t *operands_of(const rh_custom *self) {
  json_t *to = json_array();
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    json_array_append_new(to, json_pack("{s:s, s:s}", "name", self->operands[k].name, "type",
                                        rh_type_name(self->operands[k].type)));
  return to;
}

static json_t *constants_of(const rh_custom *self) {
  json_t *to = self->n_lets ? json_array() : NULL;
  for (uint32_t k = 0; k < self->n_lets; k++) {
    const rh_expr_value *value = &self->lets[k].value;
    const char *kind = value->is_float ? "float" : value->x > INT64_MAX ? "large" : "integer";
    json_array_append_new(to, json_pack("{s:s, s:s, s:i}", "name", self->lets[k].name, "kind", kind,
                                        "types", (int)constant_types(self, k)));
  }
  return to;
}

/* malloc'ed; null if out of memory. */
static char *make_key(const rh_custom *self, const rh_definition *of) {
  json_auto_t *to =
      json_pack("{s:o*, s:o*, s:o*, s:o, s:o*, s:o*, s:s*, s:s*, s:s*, s:s*, s:s*}", "finalize",
                named_texts(of->results, of->n_results), "let", named_texts(of->lets, of->n_lets),
                "constants", constants_of(self), "operands", operands_of(self), "value",
                fields_of(of), "code", of->code ? rh_json_bytes(of->code) : NULL, "initial",
                of->initial, "map", of->map, "op", of->ops, "where", of->where, "claim",
                of->flags & RH_OP_COMMUTATIVE ? "commutative" : NULL);
  return to ? json_dumps(to, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

/* To all that runs and checks operators. */
static void show(rh_custom *self, int has_initial) {
  uint64_t hash = rh_hash(0, self->key, strlen(self->key));
  self->face.abi = &self->op;
  self->face.name = self->name;
  self->face.key = self->key;
  self->face.hash = hash ? hash : 1;
  self->face.operands = self->operands;
  self->face.is_custom = 1;
  self->face.is_code = self->code != NULL;
  self->face.uses_f64 = uses_f64(self);
  self->face.count_slot = rh_exprs_count_slot(self->load);
  self->face.map_error = rh_exprs_error(self->load);
  for (uint32_t k = 0; k < self->n_parts && !has_initial; k++)
    self->face.needs_an_element |=
        rh_operator_builtin(self->parts[k].op, self->parts[k].type)->needs_an_element;
}

static rh_status make_operator(rh_custom *self, const rh_definition *definition,
                               const rh_operand *operands, uint32_t n_operands, const rh_let *lets,
                               uint32_t n_lets, rh_error *error) {
  RH_TRY(take_operands(self, definition, operands, n_operands, error));
  if (n_lets > RH_MOST_CONSTANTS)
    return rh_fail(error, RH_E_USAGE, "at most %d constants", RH_MOST_CONSTANTS);
  self->n_lets = n_lets;
  if (n_lets) memcpy(self->lets, lets, n_lets * sizeof *lets);
  RH_TRY(add_constants(self, definition, error));
  RH_TRY(check_names(self, definition->n_results > 0 || definition->initial, error));
  rh_status status = make_form(self, definition, error);
  if (status == RH_OK) status = make_where(self, definition, error);
  if (status == RH_OK) status = check_used(self, definition, error);
  if (status == RH_OK) status = rh_custom_make_results(self, definition, error);
  if (status != RH_OK) return name_file(definition, status, error);
  for (uint32_t k = 0; k < n_lets;
       k++) { /* one that was given and that nothing reads is mistyped */
    int is_used = constant_types(self, k) != 0;
    for (uint32_t j = 0; j < definition->n_constants; j++) /* the file's own, which may be given */
      is_used |= strcmp(definition->constants[j].name, self->lets[k].name) == 0;
    if (!is_used) return rh_fail(error, RH_E_USAGE, "constant %s is not used", self->lets[k].name);
  }
  describe(self, definition);
  self->is_moments = rh_moments_is(self, definition);
  rh_custom_find_kinds(self);
  RH_TRY(take_apart(self, definition, error));
  if (!(self->key = make_key(self, definition)))
    return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
  show(self, definition->initial != NULL);
  return RH_OK;
}

rh_status rh_custom_create(rh_custom **made, const rh_definition *definition,
                           const rh_operand *operands, uint32_t n_operands, const rh_let *lets,
                           uint32_t n_lets, rh_error *error) {
  RH_TRY(RH_NEW(made, 1, "an operator", error));
  uint32_t own = definition->n_operands < n_operands ? definition->n_operands : n_operands;
  rh_definition chosen =
      rh_definition_for(definition, common_type(operands, own ? own : n_operands));
  rh_status status = make_operator(*made, &chosen, operands, n_operands, lets, n_lets, error);
  if (status == RH_OK) return RH_OK;
  rh_custom_destroy(*made);
  *made = NULL;
  return status;
}

void rh_custom_destroy(rh_custom *self) {
  if (!self) return;
  rh_exprs_destroy(self->load);
  rh_exprs_destroy(self->combine);
  rh_exprs_destroy(self->finalize);
  if (self->code) {
    rh_on_device_destroy(self->code->device);
    free(self->code->text);
  }
  free(self->code);
  for (uint32_t k = 0; k < RH_MOST_FIELDS; k++) rh_custom_destroy(self->alone[k]);
  free(self->key);
  free(self);
}
