#include "key.h"
#include "../../core/base/json_value.h"
#include "../../core/base/text.h"
#include "../../core/base/vocabulary.h"
#include "make.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members, either way ---- */

/* Writes into the object, or reads from it. */
typedef struct walk {
  json_t *object;
  int writes, failed;
} walk;

static void set(walk *w, const char *key, json_t *value) {
  w->failed |= json_object_set_new(w->object, key, value) != 0;
}

static void pass_text(walk *w, const char *key, char **text) {
  if (w->writes) {
    if (*text) set(w, key, rh_json_bytes(*text));
    return;
  }
  const json_t *value = json_object_get(w->object, key);
  if (!value) return;
  *text = rh_copy_string(json_string_value(value));
  w->failed |= !*text;
}

static void pass_name(walk *w, const char *key, char name[RH_OPERATOR_NAME_BYTES]) {
  if (w->writes) {
    if (*name) set(w, key, rh_json_bytes(name));
    return;
  }
  const json_t *value = json_object_get(w->object, key);
  const char *text = value ? json_string_value(value) : "";
  w->failed |= !text || strlen(text) >= RH_OPERATOR_NAME_BYTES;
  snprintf(name, RH_OPERATOR_NAME_BYTES, "%s", text ? text : "");
}

/* 0: it has none. */
static void pass_type(walk *w, rh_type *type) {
  char name[RH_OPERATOR_NAME_BYTES] = "";
  if (w->writes && *type) snprintf(name, sizeof name, "%s", rh_type_name(*type));
  pass_name(w, "type", name);
  if (w->writes) return;
  *type = rh_type_from_name(name);
  w->failed |= *name && !*type;
}

static void pass_number(walk *w, const char *key, uint32_t *number) {
  if (w->writes) {
    if (*number) set(w, key, json_integer(*number));
    return;
  }
  json_int_t value = json_integer_value(json_object_get(w->object, key));
  w->failed |= value < 0 || value > UINT32_MAX;
  *number = (uint32_t)value;
}

typedef struct list {
  const char *key;
  void *items;
  size_t size; /* of an item */
  uint32_t *n, most;
  void (*pass)(walk *w, void *item);
} list;

static void write_list(walk *w, const list *l) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < *l->n; k++) {
    walk item = {json_object(), 1, 0};
    l->pass(&item, (char *)l->items + k * l->size);
    w->failed |= item.failed | json_array_append_new(array, item.object);
  }
  if (*l->n)
    set(w, l->key, array);
  else
    json_decref(array);
}

static void pass_list(walk *w, const list *l) {
  const json_t *array = json_object_get(w->object, l->key);
  if (w->writes) {
    write_list(w, l);
    return;
  }
  w->failed |= (array && !json_is_array(array)) || json_array_size(array) > l->most;
  for (*l->n = 0; !w->failed && *l->n < json_array_size(array);) {
    walk item = {json_array_get(array, *l->n), 0, 0};
    l->pass(&item, (char *)l->items + (*l->n)++ * l->size);
    w->failed |= item.failed;
  }
}

/* ---- A definition ---- */

static void pass_operand(walk *w, void *item) {
  rh_operand *operand = item;
  pass_name(w, "name", operand->name);
  pass_type(w, &operand->type);
  w->failed |= !operand->type;
}

static void pass_constant(walk *w, void *item) {
  rh_whole_constant *of = item;
  rh_expr_value *value = &of->let.value;
  pass_name(w, "name", of->let.name);
  if (w->writes)
    snprintf(of->kind, sizeof of->kind, "%s",
             value->is_float   ? "float"
             : value->is_large ? "large"
                               : "integer");
  pass_name(w, "kind", of->kind);
  value->is_float = strcmp(of->kind, "float") == 0;
  value->is_large = strcmp(of->kind, "large") == 0;
  pass_number(w, "types", &of->types);
}

static void pass_field(walk *w, void *item) {
  rh_field_text *field = item;
  pass_name(w, "name", field->name);
  pass_type(w, &field->type);
  pass_text(w, "load", &field->load);
  pass_text(w, "identity", &field->identity);
  pass_text(w, "combine", &field->combine);
}

static void pass_named(walk *w, void *item) {
  rh_named_text *named = item;
  pass_name(w, "name", named->name);
  pass_text(w, "text", &named->text);
  w->failed |= !named->text;
}

static void pass_claim(walk *w, uint32_t *flags) {
  static const char commutes[] = "commutative";
  char claim[RH_OPERATOR_NAME_BYTES] = "";
  if (w->writes && *flags & RH_OP_COMMUTATIVE) memcpy(claim, commutes, sizeof commutes);
  pass_name(w, "claim", claim);
  if (!w->writes) *flags = strcmp(claim, commutes) == 0 ? RH_OP_COMMUTATIVE : 0;
}

int rh_whole_pass(rh_whole *of, json_t *object, int writes) {
  walk all = {object, writes, 0}, *w = &all;
  rh_definition *definition = &of->definition;
  const list lists[] = {
      {"operands", of->operands, sizeof *of->operands, &of->n_operands, RH_MOST_OPERANDS,
       pass_operand},
      {"constants", of->constants, sizeof *of->constants, &of->n_constants, RH_MOST_CONSTANTS,
       pass_constant},
      {"value", definition->fields, sizeof *definition->fields, &definition->n_fields,
       RH_MOST_FIELDS, pass_field},
      {"let", definition->lets, sizeof *definition->lets, &definition->n_lets, RH_MOST_LETS,
       pass_named},
      {"finalize", definition->results, sizeof *definition->results, &definition->n_results,
       RH_MOST_FIELDS, pass_named},
  };
  pass_text(w, "op", &definition->ops);
  pass_text(w, "map", &definition->map);
  pass_text(w, "where", &definition->where);
  pass_text(w, "code", &definition->code);
  pass_claim(w, &definition->flags);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) pass_list(w, &lists[k]);
  return w->failed ? -1 : 0;
}

/* ---- What an operator is identified by, and what it is given ---- */

char *rh_custom_make_key(const rh_custom *self, const rh_definition *definition) {
  rh_whole *of = calloc(1, sizeof *of);
  json_t *object = json_object();
  if (!of) return NULL;
  of->definition = *definition;
  of->n_operands = self->face.n_operands;
  memcpy(of->operands, self->operands, sizeof of->operands);
  of->n_constants = self->n_lets;
  for (uint32_t k = 0; k < self->n_lets; k++) {
    uint32_t types = rh_exprs_constant_types(self->load, k);
    if (self->finalize) types |= rh_exprs_constant_types(self->finalize, k);
    of->constants[k] = (rh_whole_constant){.let = self->lets[k], .types = types};
  }
  int failed = rh_whole_pass(of, object, 1);
  char *key = failed ? NULL : json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(object);
  free(of);
  return key;
}

/* JSON has neither numbers above INT64_MAX nor all floats. */
static json_t *constant_of(const rh_expr_value *value) {
  uint64_t bits;
  memcpy(&bits, &value->as, sizeof bits);
  if (value->is_large) return json_sprintf("%" PRIu64, bits);
  if (!value->is_float) return json_integer(value->as.i);
  if (isfinite(value->as.f)) return json_real(value->as.f);
  return json_sprintf("%s of the bits %016" PRIx64, isnan(value->as.f) ? "nan" : "inf", bits);
}

json_t *rh_custom_constants(const rh_operator *face) {
  const rh_custom *self = rh_custom_of(face);
  json_t *constants = json_object();
  int failed = !constants;
  for (uint32_t k = 0; k < self->n_lets; k++)
    failed |=
        json_object_set_new(constants, self->lets[k].name, constant_of(&self->lets[k].value)) != 0;
  if (!failed) return constants;
  json_decref(constants);
  return NULL;
}
