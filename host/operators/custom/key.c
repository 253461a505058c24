/* The key of an operator: all that rh_custom_create() makes it of, as JSON, but for its name and
 * claims of associativity, and the constants' values.  Members that are empty are left out. */
#include "internal.h"

/* The functions from here on return 0, or -1. */
static int put(json_t *to, const char *key, const char *text) {
  return text && *text ? json_object_set_new(to, key, rh_json_bytes(text)) : 0;
}

static int put_type(json_t *to, rh_type type) {
  return put(to, "type", type ? rh_type_name(type) : "");
}

/* Adds an object to a list. */
static json_t *add(json_t *to, const char *key) {
  json_t *list = json_object_get(to, key), *item = json_object();
  if (!list) json_object_set_new(to, key, list = json_array());
  return json_array_append_new(list, item) == 0 ? item : NULL;
}

static int put_named(json_t *to, const char *key, const rh_named_text *list, uint32_t n) {
  int failed = 0;
  for (uint32_t k = 0; k < n; k++) {
    json_t *item = add(to, key);
    failed |= put(item, "name", list[k].name) | put(item, "text", list[k].text);
  }
  return failed;
}

static int put_lists(json_t *to, const rh_custom *self, const rh_definition *of) {
  int failed = put_named(to, "finalize", of->results, of->n_results) |
               put_named(to, "let", of->lets, of->n_lets);
  for (uint32_t k = 0; k < self->n_lets; k++) {
    const rh_expr_value *value = &self->lets[k].value;
    json_t *item = add(to, "constants");
    failed |= put(item, "name", self->lets[k].name) |
              put(item, "kind",
                  value->is_float   ? "float"
                  : value->is_large ? "large"
                                    : "integer") |
              json_object_set_new(item, "types", json_integer(rh_custom_constant_types(self, k)));
  }
  for (uint32_t k = 0; k < self->face.n_operands; k++) {
    json_t *item = add(to, "operands");
    failed |= put(item, "name", self->operands[k].name) | put_type(item, self->operands[k].type);
  }
  for (uint32_t k = 0; k < of->n_fields; k++) {
    const rh_field_text *field = &of->fields[k];
    json_t *item = add(to, "value");
    failed |= put(item, "combine", field->combine) | put(item, "identity", field->identity) |
              put(item, "load", field->load) | put(item, "name", field->name) |
              put_type(item, field->type);
  }
  return failed;
}

char *rh_custom_make_key(const rh_custom *self, const rh_definition *of) {
  json_t *to = json_object();
  int failed = put_lists(to, self, of) | put(to, "code", of->code) |
               put(to, "initial", of->initial) | put(to, "map", of->map) | put(to, "op", of->ops) |
               put(to, "where", of->where) |
               put(to, "claim", of->flags & RH_OP_COMMUTATIVE ? "commutative" : "");
  char *key = failed ? NULL : json_dumps(to, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(to);
  return key;
}

/* JSON has neither numbers above INT64_MAX nor all floats. */
static void add_constant(rh_text *to, const rh_expr_value *value) {
  char number[32];
  uint64_t bits;
  memcpy(&bits, &value->as, sizeof bits);
  if (value->is_large) {
    rh_text_add(to, "\"%" PRIu64 "\"", bits);
  } else if (!value->is_float) {
    rh_text_add(to, "%" PRId64, value->as.i);
  } else if (isfinite(value->as.f)) {
    rh_format_number(number, value->as.f);
    rh_text_add(to, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
  } else {
    rh_text_add(to, "\"%s of the bits %016" PRIx64 "\"", isnan(value->as.f) ? "nan" : "inf", bits);
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
