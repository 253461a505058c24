/* Operators whose value is a struct: several built-in ones in one pass, or fields. */
#include "internal.h"

/* ---- Lists ---- */

/* The end of a list's first word or expression: a comma outside of parentheses, or the end. */
static const char *end_of_item(const char *list) {
  int depth = 0;
  for (; *list && (*list != ',' || depth > 0); list++) depth += (*list == '(') - (*list == ')');
  return list;
}

/* Item k; the last one if there is only one.  malloc'ed. */
static char *copy_item(const char *list, uint32_t k) {
  const char *end = end_of_item(list);
  for (; k > 0 && *end; k--) {
    list = end + 1;
    end = end_of_item(list);
  }
  return strndup(list, (size_t)(end - list));
}

char *rh_custom_map_of(const rh_custom *self, const rh_definition *definition, uint32_t part) {
  return copy_item(definition->map ? definition->map : self->operands[0].name, part);
}

static rh_status parse_ops(const rh_definition *definition, uint32_t ops[RH_MOST_FIELDS],
                           uint32_t *n, rh_error *error) {
  const char *list = definition->ops ? definition->ops : "sum";
  char name[RH_OPERATOR_NAME_BYTES];
  for (*n = 0;; list++) {
    const char *end = end_of_item(list);
    if (*n == RH_MOST_FIELDS)
      return rh_fail(error, RH_E_USAGE, "at most %d operators in one pass", RH_MOST_FIELDS);
    snprintf(name, sizeof name, "%.*s", (int)(end - list), list);
    ops[*n] = rh_op_from_name(name);
    if (!ops[*n] && *n == 0 && !*end)
      return rh_fail(error, RH_E_USAGE, "unknown operator '%s'. Known: %s", name, rh_op_names());
    if (!ops[*n])
      return rh_fail(error, RH_E_USAGE,
                     "'%s' in '%s' is not built in, as several operators in one pass are: %s", name,
                     definition->ops, rh_op_names());
    ++*n;
    list = end;
    if (!*list) return RH_OK;
  }
}

rh_status rh_custom_parse_ops(const rh_definition *definition, uint32_t ops[RH_MOST_FIELDS],
                              uint32_t *n, rh_error *error) {
  rh_status status = parse_ops(definition, ops, n, error);
  return status == RH_OK ? RH_OK : rh_definition_blame(definition, "op", RH_ITEM_WHOLE, error);
}

/* ---- Fields ---- */

static uint32_t align(uint32_t offset, uint32_t size) { return (offset + size - 1) / size * size; }

/* The layout is that of C and OpenCL C. */
static rh_status add_field(rh_custom *self, const char *name, rh_type type, rh_error *error) {
  uint32_t size = rh_type_size(type);
  if (self->n_fields == RH_MOST_FIELDS)
    return rh_fail(error, RH_E_USAGE, "a value has at most %d fields", RH_MOST_FIELDS);
  rh_operator_field *field = &self->fields[self->n_fields++];
  snprintf(field->name, sizeof field->name, "%s", name ? name : "");
  field->type = type;
  field->offset = align(self->op.value_size, size);
  self->op.value_size = field->offset + size;
  if (self->op.value_size > RH_ANY_VALUE_BYTES)
    return rh_fail(error, RH_E_USAGE, "a value has at most %d bytes", RH_ANY_VALUE_BYTES);
  return RH_OK;
}

/* After the last field: the size of the struct, and which of its words are written. */
static void close_struct(rh_custom *self) {
  uint32_t largest = 4;
  for (uint32_t k = 0; k < self->n_fields; k++) {
    const rh_operator_field *field = &self->fields[k];
    uint32_t words = rh_type_size(field->type) / 4;
    if (rh_type_size(field->type) > largest) largest = rh_type_size(field->type);
    self->face.written |= ((1u << words) - 1) << field->offset / 4;
  }
  self->op.value_size = align(self->op.value_size, largest);
  self->op.identity = self->identity;
  self->face.is_struct = 1;
}

static rh_status make_combine(rh_custom *self, rh_error *error) {
  rh_operand variables[2 * RH_MOST_FIELDS];
  uint32_t n = self->n_fields;
  for (uint32_t k = 0; k < 2 * n; k++) {
    const rh_operator_field *field = &self->fields[k % n];
    snprintf(variables[k].name, sizeof variables[k].name, "%c%s%.61s", k < n ? 'a' : 'b',
             *field->name ? "." : "", field->name);
    variables[k].type = field->type;
  }
  return rh_exprs_create(&self->combine, variables, 2 * n, NULL, 0, 0, error);
}

static rh_status set_identity(rh_custom *self, uint32_t k, const char *text, const char *what,
                              rh_error *error) {
  rh_exprs *identity;
  void *to = self->identity + self->fields[k].offset;
  RH_TRY(rh_exprs_create(&identity, NULL, 0, NULL, 0, 0, error));
  rh_status status = rh_exprs_output(identity, text, self->fields[k].type, what, error);
  if (status == RH_OK) rh_exprs_eval(identity, NULL, 0, 1, NULL, &to);
  rh_exprs_destroy(identity);
  return status;
}

/* what_load, what_identity: begin messages about its texts. */
static rh_status add_loaded(rh_custom *self, const rh_field_text *field, const char *what_load,
                            const char *what_identity, rh_error *error) {
  uint32_t k = self->n_fields;
  RH_TRY(rh_exprs_output(self->load, field->load, field->type, what_load, error));
  RH_TRY(add_field(self, field->name, rh_exprs_type(self->load, k), error));
  return set_identity(self, k, field->identity, what_identity, error);
}

static const char ours[] = "the operator"; /* whose texts are redhost's own */

/* ---- Several built-in operators ---- */

static rh_status add_part_of(rh_custom *self, uint32_t op, rh_type type, const char *text,
                             const char *what, rh_error *error) {
  rh_field_text fields[RH_MOST_PART_FIELDS];
  char name[RH_OPERATOR_NAME_BYTES];
  uint32_t first = self->n_fields;
  RH_TRY(rh_exprs_let(self->load, RH_PART_ELEMENT, text, what, error));
  uint32_t n = rh_op_is_defined(op, type) ? rh_part_fields(op, type, fields) : 0;
  if (n == 0)
    return rh_fail(error, RH_E_USAGE, "%s of %s cannot be one of several operators in one pass",
                   rh_op_name(op), rh_type_name(type));
  for (uint32_t k = 0; k < n; k++) {
    snprintf(name, sizeof name, "p%u%s", self->n_parts, fields[k].name);
    fields[k].name = name;
    RH_TRY(add_loaded(self, &fields[k], ours, ours, error));
  }
  /* Between a key of 4 bytes and its index there is padding or none, by what stands before. */
  self->parts[self->n_parts++] =
      (rh_operator_part){op, type, self->fields[first].offset, self->fields[first + n - 1].offset};
  return RH_OK;
}

static rh_status add_part(rh_custom *self, const rh_definition *definition, uint32_t op,
                          rh_type type, rh_error *error) {
  const char *what = RH_WHAT(definition, "map", RH_ITEM_WHOLE);
  RH_FREED(char) text = rh_custom_map_of(self, definition, self->n_parts);
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for a map");
  return add_part_of(self, op, type, text, what, error);
}

static rh_status combine_parts(rh_custom *self, rh_error *error) {
  rh_field_text fields[RH_MOST_PART_FIELDS];
  uint32_t first = 0, of_b = self->n_fields;
  RH_TRY(make_combine(self, error));
  for (uint32_t part = 0, n; part < self->n_parts; part++, first += n) {
    n = rh_part_fields(self->parts[part].op, self->parts[part].type, fields);
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t of[] = {first + k, of_b + first + k, first, of_b + first};
      RH_TRY(rh_exprs_output_of(self->combine, fields[k].combine, of, fields[k].type, ours, error));
    }
  }
  return RH_OK;
}

/* A built-in operator that asks as much of a strategy. */
static void stand_in(rh_custom *self, uint32_t flags) {
  rh_type type = self->operands[0].type;
  self->op.flags = flags;
  self->face.type = rh_type_is_float(type) ? type : RH_TYPE_f32;
  self->face.base = RH_OP_sum;
  if (flags & RH_OP_EXACT) self->face.base = RH_OP_max;
  if (flags & RH_OP_COMMUTATIVE) return;
  self->face.base = RH_OP_affine;
  self->face.type = RH_TYPE_u64;
}

rh_status rh_custom_make_parts(rh_custom *self, const rh_definition *definition,
                               const uint32_t *ops, uint32_t n_ops, const rh_exprs *maps,
                               rh_error *error) {
  uint32_t n_maps = rh_exprs_count(maps), n = n_ops > n_maps ? n_ops : n_maps;
  uint32_t flags = RH_OP_COMMUTATIVE | RH_OP_EXACT;
  if (n_ops > 1 && n_maps > 1 && n_ops != n_maps)
    return rh_fail(error, RH_E_USAGE,
                   "%u operators for %u expressions of the map: as many, or one for all", n_ops,
                   n_maps);
  RH_TRY(rh_custom_expressions(self, &self->load, error));
  for (uint32_t k = 0; k < n; k++) {
    uint32_t op = ops[n_ops == 1 ? 0 : k];
    rh_type type = rh_exprs_type(maps, n_maps == 1 ? 0 : k);
    RH_TRY(add_part(self, definition, op, type, error));
    flags &= rh_op_flags(op, type) | ~(uint32_t)RH_OP_EXACT;
  }
  self->has_count = rh_custom_needs_count(definition);
  if (self->has_count) RH_TRY(add_part_of(self, RH_OP_sum, RH_TYPE_u64, "(u64)1", ours, error));
  RH_TRY(combine_parts(self, error));
  close_struct(self);
  stand_in(self, flags);
  return RH_OK;
}

/* ---- Fields of one's own ---- */

/* A field that no file can name. */
static const rh_field_text count = {"0n", RH_TYPE_u64, "1", "0", "a.0n + b.0n"};

static rh_status add_fields(rh_custom *self, const rh_definition *definition, rh_error *error) {
  RH_TRY(rh_custom_expressions(self, &self->load, error));
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    rh_field_text field = definition->fields[k];
    if (!field.load) field.load = self->operands[0].name;
    RH_TRY(add_loaded(self, &field, RH_WHAT(definition, definition->file ? "load" : "map", k),
                      RH_WHAT(definition, "identity", k), error));
  }
  self->has_count = rh_custom_needs_count(definition);
  return self->has_count ? add_loaded(self, &count, ours, ours, error) : RH_OK;
}

static rh_status make_by_code(rh_custom *self, const rh_definition *definition, rh_error *error) {
  for (uint32_t k = 0; k < definition->n_fields; k++)
    RH_TRY(add_field(self, definition->fields[k].name, definition->fields[k].type, error));
  close_struct(self);
  stand_in(self, definition->flags);
  return rh_custom_make_code(self, definition, error);
}

rh_status rh_custom_make_fields(rh_custom *self, const rh_definition *definition, rh_error *error) {
  if (definition->code || definition->code_file) return make_by_code(self, definition, error);
  RH_TRY(add_fields(self, definition, error));
  RH_TRY(make_combine(self, error));
  for (uint32_t k = 0; k < definition->n_lets; k++) {
    const rh_named_text *let = &definition->lets[k];
    RH_TRY(rh_exprs_let(self->combine, let->name, let->text, RH_WHAT(definition, "let", k), error));
  }
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    const rh_field_text *field = &definition->fields[k];
    const char *key = field->name ? "combine" : "reduce"; /* the option has no fields */
    RH_TRY(rh_exprs_output(self->combine, field->combine, self->fields[k].type,
                           RH_WHAT(definition, key, k), error));
  }
  if (self->has_count)
    RH_TRY(rh_exprs_output(self->combine, count.combine, count.type, ours, error));
  close_struct(self);
  uint32_t flags = definition->flags;
  if (!(rh_exprs_facts(self->combine, RH_EXPRS_ALL) & RH_EXPR_ROUNDS)) flags |= RH_OP_EXACT;
  stand_in(self, flags);
  return RH_OK;
}

/* ---- What is known of the fields, whatever the order of combining ---- */

uint64_t rh_custom_closed(const rh_custom *self, uint64_t fields) {
  uint64_t before;
  do {
    before = fields;
    for (uint32_t k = 0; k < self->n_fields; k++) /* bit j: field j of a, and then of b */
      if (rh_exprs_variables(self->combine, k) & ~(before | before << self->n_fields))
        fields &= ~(UINT64_C(1) << k);
  } while (fields != before);
  return fields;
}

static int is_exact_alone(const rh_custom *self, uint32_t k) {
  return !(rh_exprs_facts(self->load, k) & RH_EXPR_ERRS) &&
         !(rh_exprs_facts(self->combine, k) & RH_EXPR_ROUNDS);
}

void rh_custom_find_kinds(rh_custom *self) {
  uint64_t exact = 0;
  if (!self->face.is_struct || self->code) return;
  for (uint32_t k = 0; k < self->n_fields; k++) exact |= (uint64_t)is_exact_alone(self, k) << k;
  exact = rh_custom_closed(self, exact);
  for (uint32_t k = 0; k < self->n_fields; k++) {
    rh_operator_field *field = &self->fields[k];
    if (exact >> k & 1) field->kind = RH_FIELD_EXACT;
    if (rh_type_is_float(field->type) &&
        rh_exprs_output_adds(self->combine, k, k, self->n_fields + k))
      field->kind = RH_FIELD_SUM;
  }
}
