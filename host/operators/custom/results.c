/* Results of a value: numbers with names. */
#include "internal.h"

static int is_indexed(const rh_operator_part *part) {
  return (rh_op_flags(part->op, part->type) & RH_OP_INDEXED) != 0;
}

uint32_t rh_custom_n_given(const rh_custom *self) {
  return (self->n_parts ? self->n_parts : self->n_fields) - (uint32_t)self->has_count;
}

/* The result of a part is an index, or of the built-in operator's type. */
static rh_type type_of(const rh_custom *self, uint32_t k) {
  const rh_operator_part *part = &self->parts[k];
  if (!self->n_parts) return self->fields[k].type;
  return is_indexed(part) ? RH_TYPE_u64 : rh_op_result_type(part->op, part->type);
}

/* How `finalize` calls it: a.0, a.1 or a.FIELD; a alone where there is only one, without a name. */
static void name_of(const rh_custom *self, uint32_t k, rh_expr_name name) {
  if (rh_custom_n_given(self) == 1 && (self->n_parts || !*self->fields[0].name))
    snprintf(name, RH_EXPR_NAME_BYTES, "a");
  else if (self->n_parts) snprintf(name, RH_EXPR_NAME_BYTES, "a.%u", k);
  else snprintf(name, RH_EXPR_NAME_BYTES, "a.%.60s", self->fields[k].name);
}

static rh_status make_finalize(rh_custom *self, const rh_definition *definition, rh_error *error) {
  const char *key = definition->initial ? "initial" : "finalize";
  rh_operand variables[RH_MOST_FIELDS + 1];
  uint32_t n = rh_custom_n_given(self);
  for (uint32_t k = 0; k < n; k++) {
    name_of(self, k, variables[k].name);
    variables[k].type = type_of(self, k);
  }
  variables[n] = (rh_operand){"n", RH_TYPE_u64};
  RH_TRY(rh_exprs_create(&self->finalize, variables, n + 1, self->lets, self->n_lets, 0, error));
  for (uint32_t k = 0; k < definition->n_results; k++) {
    int64_t item = definition->initial ? RH_ITEM_WHOLE : (int64_t)k;
    const rh_named_text *result = &definition->results[k];
    RH_TRY(rh_exprs_output(self->finalize, result->text, 0, RH_WHAT(definition, key, item), error));
    snprintf(self->results[k], RH_OPERATOR_NAME_BYTES, "%s", result->name);
  }
  self->face.n_results = definition->n_results;
  return RH_OK;
}

/* ---- An initial value ---- */

/* How it is combined with the value a: what stands before it and behind it. */
static const struct {
  uint32_t op;
  const char *before, *behind;
} initial_forms[] = {{RH_OP_sum, "(", ") + a"},   {RH_OP_prod, "(", ") * a"},
                     {RH_OP_min, "min(a, ", ")"}, {RH_OP_max, "max(a, ", ")"},
                     {RH_OP_and, "(", ") & a"},   {RH_OP_or, "(", ") | a"},
                     {RH_OP_xor, "(", ") ^ a"}};

/* The form is an expression of a and n, which a user does not see. */
static int can_be_initial(const rh_custom *self, const char *text) {
  text += strspn(text, "+-");
  int is_named = strcmp(text, "inf") == 0 || strcmp(text, "nan") == 0;
  for (uint32_t k = 0; k < self->n_lets; k++) is_named |= strcmp(text, self->lets[k].name) == 0;
  if (!isdigit((unsigned char)*text) && *text != '.') return is_named;
  for (char before = 0; *text; before = *text++) {
    int is_sign = (*text == '+' || *text == '-') && (before | 32) == 'e';
    if (!isalnum((unsigned char)*text) && *text != '.' && !is_sign) return 0;
  }
  return 1;
}

/* NaN wins, also against the value that min() and max() would keep; and 0 is above -0. */
static const char *behind(size_t form, const char *initial) {
  const char *digits = initial + strspn(initial, "+-");
  int is_extreme = initial_forms[form].op == RH_OP_min || initial_forms[form].op == RH_OP_max;
  if (is_extreme && strcmp(digits, "nan") == 0) return ") + nan";
  if (initial_forms[form].op == RH_OP_max && *initial != '-' && strtod(digits, NULL) == 0 &&
      (isdigit((unsigned char)*digits) || *digits == '.'))
    return ") + 0";
  return initial_forms[form].behind;
}

/* The only result is what both come to. */
static rh_status make_initial(rh_custom *self, const rh_definition *definition, rh_error *error) {
  const char *what = RH_WHAT(definition, "initial", RH_ITEM_WHOLE), *initial = definition->initial;
  rh_definition made = *definition;
  RH_FINISHED(rh_text) text = {0};
  if (!can_be_initial(self, initial))
    return rh_fail(error, RH_E_USAGE, "%s: '%.64s' is neither a number nor a constant", what,
                   initial);
  if (isdigit((unsigned char)initial[strspn(initial, "+-.")]) && isinf(strtod(initial, NULL)))
    return rh_fail(error, RH_E_USAGE, "%s: %.64s does not fit in f64", what, initial);
  for (size_t k = 0; k < sizeof initial_forms / sizeof *initial_forms; k++)
    if (self->n_parts && rh_custom_n_given(self) == 1 && !definition->n_results &&
        self->parts[0].op == initial_forms[k].op)
      rh_text_add(&text, "%s%s%s", initial_forms[k].before, initial, behind(k, initial));
  if (text.failed) return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
  if (!text.length)
    return rh_fail(
        error, RH_E_USAGE,
        "%s: only sum, prod, min, max, and, or and xor take one, alone and not finalized", what);
  made.n_results = 1;
  made.results[0] = (rh_named_text){rh_op_name(self->parts[0].op), text.s};
  return make_finalize(self, &made, error);
}

rh_status rh_custom_make_results(rh_custom *self, const rh_definition *definition,
                                 rh_error *error) {
  if (definition->initial) return make_initial(self, definition, error);
  if (definition->n_results) return make_finalize(self, definition, error);
  if (!self->face.is_struct) return RH_OK;
  self->face.n_results = rh_custom_n_given(self);
  for (uint32_t k = 0; k < self->face.n_results; k++) {
    const char *name = *self->fields[k].name ? self->fields[k].name : "value";
    uint32_t before = 0; /* the second sum is sum_1, so that every result can be named */
    if (self->n_parts) name = rh_op_name(self->parts[k].op);
    for (uint32_t j = 0; j < k && self->n_parts; j++)
      before += self->parts[j].op == self->parts[k].op;
    if (before) snprintf(self->results[k], RH_OPERATOR_NAME_BYTES, "%.48s_%u", name, before);
    else snprintf(self->results[k], RH_OPERATOR_NAME_BYTES, "%s", name);
  }
  return RH_OK;
}

static rh_result_field decode_number(rh_type type, const void *from) {
  rh_result_field to = {.type = type};
  rh_element_load(type, from, &to.value);
  return to;
}

/* Elements that a condition left in, maybe. */
static const uint64_t none[RH_RESULTS_AT_ONCE];

/* Number k of each of n values, in its type. */
static void take_given(const rh_custom *self, uint32_t k, const char *values,
                       const uint64_t *lengths, uint64_t n, void *to) {
  const rh_operator_part *part = &self->parts[k];
  const rh_operator_field *field = &self->fields[k];
  const uint64_t apart = self->face.abi->value_size;
  if (!self->n_parts)
    rh_take_words(values + field->offset, apart, rh_type_size(field->type), n, to);
  else if (is_indexed(part)) rh_take_words(values + part->index_at, apart, sizeof(uint64_t), n, to);
  else
    rh_op_results(part->op, part->type, values + part->offset, apart,
                  self->face.is_masked ? none : lengths, n, to);
}

void rh_custom_given(const rh_custom *self, const void *value, uint64_t n, rh_result_field *given) {
  for (uint32_t k = 0; k < rh_custom_n_given(self); k++) {
    uint64_t word;
    take_given(self, k, value, &n, 1, &word);
    given[k] = decode_number(type_of(self, k), &word);
  }
}

uint64_t rh_custom_count_in(const rh_custom *self, const void *value, uint64_t n) {
  const rh_operator_field *last = &self->fields[self->n_fields - (uint32_t)self->has_count];
  if (self->has_count) memcpy(&n, (const char *)value + last->offset, sizeof n);
  return n;
}

/* The field of an indexed part is its index. */
uint32_t rh_custom_field_given(const rh_custom *self, uint32_t k) {
  const rh_operator_part *part = &self->parts[k];
  uint32_t offset = part->offset, j = 0;
  if (!self->n_parts) return k;
  if (is_indexed(part)) offset = part->index_at;
  while (self->fields[j].offset != offset) j++;
  return j;
}

void rh_custom_finalize(const rh_custom *self, const rh_result_field *given, uint64_t n,
                        rh_result_field *results) {
  uint64_t constants[RH_EXPR_MOST_SLOTS], in[RH_MOST_FIELDS + 1], out[RH_MOST_FIELDS] = {0};
  const void *from[RH_MOST_FIELDS + 1];
  void *to[RH_MOST_FIELDS];
  uint32_t n_given = rh_custom_n_given(self);
  if (!self->finalize) {
    memcpy(results, given, self->face.n_results * sizeof *results);
  } else {
    for (uint32_t k = 0; k < n_given; k++) rh_element_store(given[k].type, &given[k].value, &in[k]);
    in[n_given] = n;
    for (uint32_t k = 0; k <= n_given; k++) from[k] = &in[k];
    for (uint32_t k = 0; k < RH_MOST_FIELDS; k++) to[k] = &out[k];
    rh_exprs_bind(self->finalize, n, constants);
    rh_exprs_eval(self->finalize, from, 0, 1, constants, to);
    for (uint32_t k = 0; k < self->face.n_results; k++)
      results[k] = decode_number(rh_exprs_type(self->finalize, k), &out[k]);
  }
  for (uint32_t k = 0; k < self->face.n_results; k++)
    memcpy(results[k].name, self->results[k],
           strnlen(self->results[k], sizeof results[k].name - 1));
}

void rh_custom_show(const rh_custom *self, const rh_result_field *results, const void *value,
                    rh_result *result) {
  const rh_operator_part *first = &self->parts[0];
  rh_result alone;
  *result = (rh_result){.n_fields = self->face.n_results, .type = results[0].type};
  memcpy(&result->value, &results[0].value, sizeof result->value);
  memcpy(result->fields, results, self->face.n_results * sizeof *results);
  if (!self->face.is_struct || self->finalize || !self->n_parts || !is_indexed(first)) return;
  rh_op_result(first->op, first->type, (const char *)value + first->offset, &alone);
  result->type = alone.type;
  result->value = alone.value;
  result->indexed = 1;
  memcpy(&result->index, (const char *)value + first->index_at, sizeof result->index);
}

void rh_custom_decode(const rh_operator *face, const void *value, uint64_t n, rh_result *result) {
  const rh_custom *self = rh_custom_of(face);
  rh_result_field given[RH_MOST_FIELDS], results[RH_MOST_FIELDS];
  if (!face->n_results) {
    rh_operator_decode_base(face, value, n, result);
    return;
  }
  rh_custom_given(self, value, n, given);
  rh_custom_finalize(self, given, rh_custom_count_in(self, value, n), results);
  rh_custom_show(self, results, value, result);
}

/* ---- Many values ---- */

void rh_custom_results(const rh_operator *face, const void *values, const uint64_t *lengths,
                       uint64_t n, void *const *to) {
  const rh_custom *self = rh_custom_of(face);
  if (!face->n_results) {
    rh_operator_results_base(face, values, face->is_masked ? none : lengths, n, to);
    return;
  }
  uint64_t constants[RH_EXPR_MOST_SLOTS], apart = self->face.abi->value_size;
  const rh_operator_field *last = &self->fields[self->n_fields - (uint32_t)self->has_count];
  uint32_t n_given = rh_custom_n_given(self), n_results = self->face.n_results;
  uint64_t given[n_given + 1][RH_RESULTS_AT_ONCE], spare[RH_RESULTS_AT_ONCE];
  const void *in[RH_MOST_FIELDS + 1];
  void *out[RH_MOST_FIELDS];
  for (uint32_t k = 0; k < n_given; k++) {
    void *place = self->finalize ? given[k] : to[k];
    if (self->finalize ? rh_exprs_variables(self->finalize, RH_EXPRS_ALL) >> k & 1 : place != NULL)
      take_given(self, k, values, lengths, n, place);
    in[k] = place;
  }
  if (!self->finalize) return;
  if (self->has_count)
    rh_take_words((const char *)values + last->offset, apart, sizeof(uint64_t), n, given[n_given]);
  in[n_given] = self->has_count ? given[n_given] : lengths;
  for (uint32_t k = 0; k < n_results; k++) out[k] = to[k] ? to[k] : spare;
  rh_exprs_bind(self->finalize, 0, constants);
  rh_exprs_eval(self->finalize, in, 0, n, constants, out);
}
