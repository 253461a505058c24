/* What identifies an operator: strings as their length, a colon and their bytes; null as a dash;
 * numbers as digits; each is followed by a semicolon.  told.c reads it. */
#include "make.h"

#include <inttypes.h>
#include <string.h>

static void add(rh_text *to, const char *text) {
  if (text)
    rh_text_add(to, "%zu:%s;", strlen(text), text);
  else
    rh_text_add(to, "-;");
}

static void add_number(rh_text *to, uint64_t number) {
  rh_text_add(to, "%" PRIu64 ";", number);
}

static void add_fields(rh_text *to, const rh_definition *definition) {
  add_number(to, definition->n_fields);
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    const rh_field_text *field = &definition->fields[k];
    add(to, field->name);
    add_number(to, field->type);
    add(to, field->load);
    add(to, field->identity);
    add(to, field->combine);
  }
}

static void add_named(rh_text *to, const rh_named_text *list, uint32_t n) {
  add_number(to, n);
  for (uint32_t k = 0; k < n; k++) {
    add(to, list[k].name);
    add(to, list[k].text);
  }
}

/* Whether a constant is a float, or above INT64_MAX; and as which types it is used, for numbers of
 * another size may meet as others. */
static uint64_t kind_of(const rh_custom *self, uint32_t constant) {
  const rh_expr_value *value = &self->lets[constant].value;
  uint32_t types = rh_exprs_constant_types(self->load, constant);
  if (self->finalize) types |= rh_exprs_constant_types(self->finalize, constant);
  return (uint64_t)types << 2 | (value->is_float ? 1 : value->is_large ? 2 : 0);
}

char *rh_custom_make_key(const rh_custom *self, const rh_definition *definition) {
  rh_text text = {0};
  add_number(&text, self->face.n_operands);
  for (uint32_t k = 0; k < self->face.n_operands; k++) {
    add(&text, self->operands[k].name);
    add_number(&text, self->operands[k].type);
  }
  add_number(&text, self->n_lets);
  for (uint32_t k = 0; k < self->n_lets; k++) {
    add(&text, self->lets[k].name);
    add_number(&text, kind_of(self, k));
  }
  add(&text, definition->ops);
  add(&text, definition->map);
  add(&text, definition->where);
  add(&text, definition->code);
  add_fields(&text, definition);
  add_named(&text, definition->lets, definition->n_lets);
  add_named(&text, definition->results, definition->n_results);
  add_number(&text, definition->flags);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}
