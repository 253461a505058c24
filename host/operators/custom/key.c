#include "key.h"
#include "../../core/base/format.h"
#include "make.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members, either way; in the order of their keys ---- */

/* Adds to a text, or reads from an object. */
typedef struct walk {
  rh_text *to; /* null: reads */
  const json_t *object;
  int n, failed;
} walk;

static void begin(walk *w, const char *key) {
  rh_text_add(w->to, "%c\"%s\":", w->n++ ? ',' : '{', key);
}

static void pass_text(walk *w, const char *key, char **text) {
  if (w->to && *text) {
    begin(w, key);
    rh_text_add_json(w->to, *text);
  }
  const json_t *value = w->to ? NULL : json_object_get(w->object, key);
  if (!value) return;
  *text = rh_copy_string(json_string_value(value));
  w->failed |= !*text;
}

static void pass_name(walk *w, const char *key, char name[RH_OPERATOR_NAME_BYTES]) {
  char *text = *name ? name : NULL;
  if (w->to) {
    pass_text(w, key, &text);
    return;
  }
  const json_t *value = json_object_get(w->object, key);
  const char *read = value ? json_string_value(value) : "";
  w->failed |= !read || strlen(read) >= RH_OPERATOR_NAME_BYTES;
  snprintf(name, RH_OPERATOR_NAME_BYTES, "%s", read ? read : "");
}

/* 0: it has none. */
static void pass_type(walk *w, rh_type *type) {
  char name[RH_OPERATOR_NAME_BYTES] = "";
  if (w->to && *type) snprintf(name, sizeof name, "%s", rh_type_name(*type));
  pass_name(w, "type", name);
  if (w->to) return;
  *type = rh_type_from_name(name);
  w->failed |= *name && !*type;
}

typedef struct list {
  const char *key;
  void *items;
  size_t size; /* of an item */
  uint32_t *n, most;
  void (*pass)(walk *w, void *item);
} list;

static void write_list(walk *w, const list *l) {
  if (*l->n) begin(w, l->key);
  for (uint32_t k = 0; k < *l->n; k++) {
    walk item = {.to = w->to};
    rh_text_add(w->to, "%c", k ? ',' : '[');
    l->pass(&item, (char *)l->items + k * l->size);
    rh_text_add(w->to, "%s}", item.n ? "" : "{");
  }
  if (*l->n) rh_text_add(w->to, "]");
}

static void pass_list(walk *w, const list *l) {
  const json_t *array = json_object_get(w->object, l->key);
  if (w->to) {
    write_list(w, l);
    return;
  }
  w->failed |= (array && !json_is_array(array)) || json_array_size(array) > l->most;
  for (*l->n = 0; !w->failed && *l->n < json_array_size(array);) {
    walk item = {.object = json_array_get(array, *l->n)};
    l->pass(&item, (char *)l->items + (*l->n)++ * l->size);
    w->failed |= item.failed;
  }
}

static void pass_operand(walk *w, void *item) {
  rh_operand *operand = item;
  pass_name(w, "name", operand->name);
  pass_type(w, &operand->type);
  w->failed |= !operand->type;
}

static void pass_constant(walk *w, void *item) {
  rh_whole_constant *of = item;
  rh_expr_value *value = &of->let.value;
  if (w->to)
    snprintf(of->kind, sizeof of->kind, "%s",
             value->is_float   ? "float"
             : value->is_large ? "large"
                               : "integer");
  pass_name(w, "kind", of->kind);
  pass_name(w, "name", of->let.name);
  value->is_float = strcmp(of->kind, "float") == 0;
  value->is_large = strcmp(of->kind, "large") == 0;
  if (!w->to) return;
  begin(w, "types");
  rh_text_add(w->to, "%u", of->types);
}

static void pass_field(walk *w, void *item) {
  rh_field_text *field = item;
  pass_text(w, "combine", &field->combine);
  pass_text(w, "identity", &field->identity);
  pass_text(w, "load", &field->load);
  pass_name(w, "name", field->name);
  pass_type(w, &field->type);
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
  if (w->to && *flags & RH_OP_COMMUTATIVE) memcpy(claim, commutes, sizeof commutes);
  pass_name(w, "claim", claim);
  if (!w->to) *flags = strcmp(claim, commutes) == 0 ? RH_OP_COMMUTATIVE : 0;
}

#define LIST(key, items, n, most, pass)                                                            \
  pass_list(w, &(const list){key, items, sizeof *(items), &(n), most, pass})
static void pass_whole(walk *w, rh_whole *of) {
  rh_definition *to = &of->definition;
  pass_claim(w, &to->flags);
  pass_text(w, "code", &to->code);
  LIST("constants", of->constants, of->n_constants, RH_MOST_CONSTANTS, pass_constant);
  LIST("finalize", to->results, to->n_results, RH_MOST_FIELDS, pass_named);
  pass_text(w, "initial", &to->initial);
  LIST("let", to->lets, to->n_lets, RH_MOST_LETS, pass_named);
  pass_text(w, "map", &to->map);
  pass_text(w, "op", &to->ops);
  LIST("operands", of->operands, of->n_operands, RH_MOST_OPERANDS, pass_operand);
  LIST("value", to->fields, to->n_fields, RH_MOST_FIELDS, pass_field);
  pass_text(w, "where", &to->where);
}

int rh_whole_read(rh_whole *whole, const json_t *object) {
  walk w = {.object = object};
  pass_whole(&w, whole);
  return w.failed ? -1 : 0;
}

/* ---- What an operator is identified by, and what it is given ---- */

static void fill(rh_whole *of, const rh_custom *self, const rh_definition *definition) {
  of->definition = *definition;
  of->n_operands = self->face.n_operands;
  memcpy(of->operands, self->operands, sizeof of->operands);
  of->n_constants = self->n_lets;
  for (uint32_t k = 0; k < self->n_lets; k++) {
    uint32_t types = rh_custom_constant_types(self, k);
    of->constants[k] = (rh_whole_constant){.let = self->lets[k], .types = types};
  }
}

char *rh_custom_make_key(const rh_custom *self, const rh_definition *definition) {
  rh_whole *of = malloc(sizeof *of);
  rh_text key = {0};
  walk w = {.to = &key};
  if (!of) return NULL;
  fill(of, self, definition);
  pass_whole(&w, of);
  rh_text_append(&key, "}", 1);
  free(of);
  if (key.failed) rh_text_finish(&key);
  return key.s;
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
