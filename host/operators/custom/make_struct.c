/* Operators whose value is a struct: several built-in ones in one pass, or fields. */
#include "internal.h"

/* ---- Texts ---- */

rh_status rh_custom_expressions(const rh_custom *self, rh_exprs **made, rh_error *error) {
  return rh_exprs_create(made, self->operands, self->face.n_operands, self->lets, self->n_lets, 1,
                         error);
}

/* The end of a list's first word or expression: a comma outside of parentheses, or the end. */
static const char *end_of_item(const char *list) {
  int depth = 0;
  for (; *list && (*list != ',' || depth > 0); list++) depth += (*list == '(') - (*list == ')');
  return list;
}

char *rh_custom_map_of(const rh_custom *self, const rh_definition *definition, uint32_t part) {
  const char *list = definition->map ? definition->map : self->operands[0].name;
  const char *end = end_of_item(list);
  for (; part > 0 && *end; part--) {
    list = end + 1;
    end = end_of_item(list);
  }
  return strndup(list, (size_t)(end - list));
}

rh_status rh_custom_parse_ops(const rh_definition *definition, uint32_t ops[RH_MOST_FIELDS],
                              uint32_t *n, rh_error *error) {
  const char *list = definition->ops ? definition->ops : "sum";
  char name[RH_OPERATOR_NAME_BYTES];
  for (*n = 0; *n < RH_MOST_FIELDS; list++) {
    const char *end = end_of_item(list);
    snprintf(name, sizeof name, "%.*s", (int)(end - list), list);
    uint32_t op = ops[(*n)++] = rh_op_from_name(name);
    list = end;
    if (op && !*end) return RH_OK;
    if (op) continue;
    if (*n == 1 && !*end)
      rh_fail(error, RH_E_USAGE, "unknown operator '%s'. Known: %s", name, rh_op_names());
    else
      rh_fail(error, RH_E_USAGE,
              "'%s' in '%s' is not built in, as several operators in one pass are: %s", name,
              definition->ops, rh_op_names());
    return rh_definition_blame(definition, "op", RH_ITEM_WHOLE, error);
  }
  rh_fail(error, RH_E_USAGE, "at most %d operators in one pass", RH_MOST_FIELDS);
  return rh_definition_blame(definition, "op", RH_ITEM_WHOLE, error);
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

/* ---- The fields of a built-in operator's value ---- in the order of rh_value of
 * kernels/prelude/types.cl; a name is what follows that of the part.  The texts are expressions.
 * In `load`, i is the index.  In `combine`, a and b stand for this field of both values, c and d
 * for the first field of the part. */

enum { MOST_PART_FIELDS = 2 };
#define ELEMENT "mapped_element" /* in the texts of `load` */

/* Order keys, as kernels/prelude/operators.cl explains them. */
#define M ELEMENT
#define KEY(as, sign, most, nan)                                                                   \
  "isnan(" M ") ? " nan " : " as "(" M ") ^ (" as "(" M ") >> " sign " & " most ")"
#define KEY32(nan) KEY("as_int", "31", "0x7fffffff", nan)
#define KEY64(nan) KEY("as_long", "63", "0x7fffffffffffffff", nan)
#define LEAST32    "(i32)0x80000000u"
#define LEAST64    "(i64)0x8000000000000000u"
#define MOST32     "0x7fffffff"
#define MOST64     "0x7fffffffffffffff"
/* -0 and +0 are equal to argmin and argmax; the key of -0, and only that, is -1. */
#define FIRST(key) M " == 0 ? 0 : " key

static const char *key_of(uint32_t op, rh_type type) {
  int is_wide = type == RH_TYPE_f64;
  int is_magnitude = op == RH_OP_amax || op == RH_OP_argamax;
  if (!rh_type_is_float(type)) return is_magnitude ? "abs(" M ")" : M;
  switch (op) {
  case RH_OP_min: return is_wide ? KEY64(LEAST64) : KEY32(LEAST32);
  case RH_OP_argmin: return is_wide ? FIRST(KEY64(LEAST64)) : FIRST(KEY32(LEAST32));
  case RH_OP_max: return is_wide ? KEY64(MOST64) : KEY32(MOST32);
  case RH_OP_argmax: return is_wide ? FIRST(KEY64(MOST64)) : FIRST(KEY32(MOST32));
  default:
    return is_wide ? "isnan(" M ") ? " MOST64 " : as_long(" M ") & " MOST64
                   : "isnan(" M ") ? " MOST32 " : as_int(" M ") & " MOST32;
  }
}

static int is_least(uint32_t op) { return op == RH_OP_min || op == RH_OP_argmin; }

/* Keys are signed, but for unsigned integers and magnitudes of integers. */
static rh_type key_type(uint32_t op, rh_type type) {
  int is_magnitude = op == RH_OP_amax || op == RH_OP_argamax;
  int is_unsigned = !rh_type_is_float(type) && (is_magnitude || !rh_type_is_signed(type));
  if (rh_type_size(type) == sizeof(uint64_t)) return is_unsigned ? RH_TYPE_u64 : RH_TYPE_i64;
  return is_unsigned ? RH_TYPE_u32 : RH_TYPE_i32;
}

static const char *worst(uint32_t op, rh_type key) {
  static const char *const most[] = {[RH_TYPE_u64] = "0xffffffffffffffffu",
                                     [RH_TYPE_u32] = "0xffffffffu",
                                     [RH_TYPE_i64] = MOST64,
                                     [RH_TYPE_i32] = MOST32};
  if (is_least(op)) return most[key];
  return key == RH_TYPE_i64 ? LEAST64 : key == RH_TYPE_i32 ? LEAST32 : "0";
}

static uint32_t extreme(uint32_t op, rh_type type, rh_field_text fields[MOST_PART_FIELDS]) {
  rh_type key = key_type(op, type);
  int least = is_least(op), is_indexed = (rh_op_flags(op, type) & RH_OP_INDEXED) != 0;
  fields[0] = (rh_field_text){is_indexed ? "_key" : "", key, key_of(op, type), worst(op, key),
                              least ? "min(a, b)" : "max(a, b)"};
  fields[1] = (rh_field_text){"_index", RH_TYPE_u64, "i", "0xffffffffffffffffu",
                              least ? "d < c || (d == c && b < a) ? b : a"
                                    : "d > c || (d == c && b < a) ? b : a"};
  return is_indexed ? 2 : 1;
}

/* The number of fields; 0 if the operator cannot be one of several: products of floats, whose
 * values are scaled, and affine. */
static uint32_t part_fields(uint32_t op, rh_type type, rh_field_text fields[MOST_PART_FIELDS]) {
  static const struct {
    uint32_t op;
    int of_floats;
    const char *load, *identity, *combine;
  } rows[] = {{RH_OP_sum, 1, M, "-0.0", "a + b"},
              {RH_OP_sum, 0, "(u64)" M, "0", "a + b"},
              {RH_OP_prod, 0, "(u64)" M, "1", "a * b"},
              {RH_OP_asum, 1, "fabs(" M ")", "0.0", "a + b"},
              {RH_OP_asum, 0, "abs((i64)" M ")", "0", "a + b"},
              {RH_OP_and, 0, M, "~0", "a & b"},
              {RH_OP_or, 0, M, "0", "a | b"},
              {RH_OP_xor, 0, M, "0", "a ^ b"}};
  int is_float = rh_type_is_float(type), is_sum = rh_op_is_arithmetic(op);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (rows[k].op != op || rows[k].of_floats != is_float) continue;
    fields[0] = (rh_field_text){"", is_sum && !is_float ? RH_TYPE_u64 : type, rows[k].load,
                                rows[k].identity, rows[k].combine};
    if (op == RH_OP_asum && !rh_type_is_signed(type)) fields[0].load = "(u64)" M;
    return 1;
  }
  return is_sum || op == RH_OP_affine ? 0 : extreme(op, type, fields);
}

/* ---- Several built-in operators ---- */

static rh_status add_part(rh_custom *self, uint32_t op, rh_type type, const char *text,
                          const char *what, rh_error *error) {
  rh_field_text fields[MOST_PART_FIELDS];
  char name[RH_OPERATOR_NAME_BYTES];
  uint32_t first = self->n_fields;
  RH_TRY(rh_exprs_let(self->load, ELEMENT, text, what, error));
  uint32_t n = rh_op_is_defined(op, type) ? part_fields(op, type, fields) : 0;
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

static rh_status combine_parts(rh_custom *self, rh_error *error) {
  rh_field_text fields[MOST_PART_FIELDS];
  uint32_t first = 0, of_b = self->n_fields;
  RH_TRY(make_combine(self, error));
  for (uint32_t part = 0, n; part < self->n_parts; part++, first += n) {
    n = part_fields(self->parts[part].op, self->parts[part].type, fields);
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
  const char *what = RH_WHAT(definition, "map", RH_ITEM_WHOLE);
  if (n_ops > 1 && n_maps > 1 && n_ops != n_maps)
    return rh_fail(error, RH_E_USAGE,
                   "%u operators for %u expressions of the map: as many, or one for all", n_ops,
                   n_maps);
  RH_TRY(rh_custom_expressions(self, &self->load, error));
  for (uint32_t k = 0; k < n; k++) {
    uint32_t op = ops[n_ops == 1 ? 0 : k];
    rh_type type = rh_exprs_type(maps, n_maps == 1 ? 0 : k);
    RH_FREED(char) text = rh_custom_map_of(self, definition, k);
    if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for a map");
    RH_TRY(add_part(self, op, type, text, what, error));
    flags &= rh_op_flags(op, type) | ~(uint32_t)RH_OP_EXACT;
  }
  if (self->has_count) RH_TRY(add_part(self, RH_OP_sum, RH_TYPE_u64, "(u64)1", ours, error));
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
  return self->has_count ? add_loaded(self, &count, ours, ours, error) : RH_OK;
}

/* The compiler's words for a missing function name the program around it. */
static rh_status check_functions(const rh_definition *definition, rh_error *error) {
  static const char *const functions[] = {"rh_load", "rh_combine", "rh_identity"};
  for (int k = 0; k < 3; k++) {
    const char *at = definition->code;
    size_t length = strlen(functions[k]);
    while ((at = strstr(at, functions[k])) &&
           (isalnum((unsigned char)at[length]) || at[length] == '_'))
      at++;
    if (at) continue;
    rh_fail(error, RH_E_USAGE,
            "expected the functions rh_load, rh_combine and rh_identity; there is no %s",
            functions[k]);
    return rh_definition_blame(definition, definition->code_file ? "code" : "source", RH_ITEM_WHOLE,
                               error);
  }
  return RH_OK;
}

/* The definition's code, for fields that have been added. */
static rh_status make_code(rh_custom *self, const rh_definition *definition, rh_error *error) {
  if (!definition->code)
    return rh_fail(error, RH_E_USAGE,
                   "operator %s names a file of OpenCL C, and only a file beside it can",
                   definition->name);
  RH_TRY(check_functions(definition, error));
  if (self->n_lets)
    return rh_fail(error, RH_E_USAGE, "operator %s is in OpenCL C and has no constants",
                   definition->name);
  RH_TRY(rh_custom_expressions(self, &self->load, error));
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    RH_TRY(rh_exprs_output(self->load, self->operands[k].name, 0, "operands", error));
  RH_TRY(RH_NEW(&self->code, 1, "an operator", error));
  RH_TRY(rh_copy(&self->code->text, definition->code, "an operator", error));
  self->op.identity = self->code->identity;
  return RH_OK;
}

rh_status rh_custom_make_fields(rh_custom *self, const rh_definition *definition, rh_error *error) {
  if (definition->code || definition->code_file) {
    for (uint32_t k = 0; k < definition->n_fields; k++)
      RH_TRY(add_field(self, definition->fields[k].name, definition->fields[k].type, error));
    close_struct(self);
    stand_in(self, definition->flags);
    return make_code(self, definition, error);
  }
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

void rh_custom_find_kinds(rh_custom *self) {
  uint64_t exact = 0;
  if (!self->face.is_struct || self->code) return;
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (!(rh_exprs_facts(self->load, k) & RH_EXPR_ERRS) &&
        !(rh_exprs_facts(self->combine, k) & RH_EXPR_ROUNDS))
      exact |= UINT64_C(1) << k;
  exact = rh_custom_closed(self, exact);
  for (uint32_t k = 0; k < self->n_fields; k++) {
    rh_operator_field *field = &self->fields[k];
    if (exact >> k & 1) field->kind = RH_FIELD_EXACT;
    if (rh_type_is_float(field->type) &&
        rh_exprs_output_adds(self->combine, k, k, self->n_fields + k))
      field->kind = RH_FIELD_SUM;
  }
}
