/* The key of an operator: all that rh_custom_create() makes it of, as JSON, but for its name and
 * claims of associativity, and the constants' values.  Members that are empty are left out. */
#include "internal.h"

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
                                        "types", (int)rh_custom_constant_types(self, k)));
  }
  return to;
}

char *rh_custom_make_key(const rh_custom *self, const rh_definition *of) {
  json_auto_t *to =
      json_pack("{s:o*, s:o*, s:o*, s:o, s:o*, s:o*, s:s*, s:s*, s:s*, s:s*, s:s*}", "finalize",
                named_texts(of->results, of->n_results), "let", named_texts(of->lets, of->n_lets),
                "constants", constants_of(self), "operands", operands_of(self), "value",
                fields_of(of), "code", of->code ? rh_json_bytes(of->code) : NULL, "initial",
                of->initial, "map", of->map, "op", of->ops, "where", of->where, "claim",
                of->flags & RH_OP_COMMUTATIVE ? "commutative" : NULL);
  return to ? json_dumps(to, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

/* JSON has neither numbers above INT64_MAX nor all floats. */
static void add_constant(rh_text *to, const rh_expr_value *value) {
  char number[32];
  double x = (double)value->x;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (!value->is_float) {
    rh_text_add(to, value->x > INT64_MAX ? "\"%.0Lf\"" : "%.0Lf", value->x);
  } else if (isfinite(x)) {
    rh_format_number(number, x);
    rh_text_add(to, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
  } else {
    rh_text_add(to, "\"%s of the bits %016" PRIx64 "\"", isnan(x) ? "nan" : "inf", bits);
  }
}

void rh_custom_constants(const rh_operator *face, rh_text *to) {
  const rh_custom *self = rh_custom_of(face);
  for (uint32_t k = 0; k < self->n_lets; k++) {
    rh_text_add(to, "%c\"%s\":", k ? ',' : '{', self->lets[k].name);
    add_constant(to, &self->lets[k].value);
  }
  if (self->n_lets) rh_text_add(to, "}");
}
