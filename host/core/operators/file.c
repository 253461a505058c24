#include "file.h"
#include "../base/error.h"
#include "../base/vocabulary.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  const char *origin;
  rh_definition *to;
  rh_error *error;
} reader;

static rh_status expect(const reader *r, const char *key, const char *what) {
  return rh_fail(r->error, RH_E_FILE, "%s: \"%s\": expected %s", r->origin, key, what);
}

/* ---- Values of keys ---- */

static rh_status take_text(const reader *r, const char *key, const json_t *value, char **to) {
  if (!json_is_string(value)) return expect(r, key, "a text");
  *to = strdup(json_string_value(value));
  return *to ? RH_OK : rh_fail(r->error, RH_E_NOMEM, "no memory for an operator");
}

static rh_status take_name(const reader *r, const char *key, const char *name, char *to) {
  size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  if (length == 0 || name[length] || length >= RH_OPERATOR_NAME_BYTES ||
      strchr("0123456789", *name))
    return expect(r, key, "names of letters, digits and '_'");
  memcpy(to, name, length + 1);
  return RH_OK;
}

static rh_status take_operands(const reader *r, const json_t *list) {
  rh_definition *to = r->to;
  size_t n = json_array_size(list);
  if (!json_is_array(list) || n == 0 || n > RH_MOST_OPERANDS)
    return expect(r, "operands", "a list of 1 to 8 names");
  for (size_t k = 0; k < n; k++) {
    const char *name = json_string_value(json_array_get(list, k));
    RH_TRY(take_name(r, "operands", name ? name : "", to->operands[k]));
  }
  to->n_operands = (uint32_t)n;
  return RH_OK;
}

static rh_status take_fields(const reader *r, json_t *value) {
  const char *name;
  json_t *type;
  rh_definition *to = r->to;
  if (!json_is_object(value) || json_object_size(value) > RH_MOST_FIELDS)
    return expect(r, "value", "an object of at most 16 fields and their types");
  json_object_foreach(value, name, type) {
    rh_field_text *field = &to->fields[to->n_fields];
    rh_type number = json_is_string(type) ? rh_type_from_name(json_string_value(type)) : 0;
    if (rh_type_size(number) < 4) return expect(r, "value", "types i32, u32, i64, u64, f32 or f64");
    RH_TRY(take_name(r, "value", name, field->name));
    field->type = number;
    to->n_fields++;
  }
  return RH_OK;
}

/* One text for each field. */
static rh_status take_texts(const reader *r, const char *key, const json_t *list, size_t offset) {
  if (!json_is_array(list) || json_array_size(list) != r->to->n_fields)
    return expect(r, key, "a list of one expression for each field of \"value\"");
  for (uint32_t k = 0; k < r->to->n_fields; k++)
    RH_TRY(take_text(r, key, json_array_get(list, k),
                     (char **)(void *)((char *)&r->to->fields[k] + offset)));
  return RH_OK;
}

static rh_status take_named(const reader *r, const char *key, json_t *object, rh_named_text *list,
                            uint32_t most, uint32_t *n) {
  const char *name;
  json_t *text;
  if (!object) return RH_OK;
  if (!json_is_object(object) || json_object_size(object) > most)
    return expect(r, key, "an object of at most 16 names and expressions");
  json_object_foreach(object, name, text) {
    RH_TRY(take_name(r, key, name, list[*n].name));
    RH_TRY(take_text(r, key, text, &list[*n].text));
    ++*n;
  }
  return RH_OK;
}

static rh_status take_claims(const reader *r, const json_t *list) {
  for (size_t k = 0; k < json_array_size(list); k++) {
    const char *claim = json_string_value(json_array_get(list, k));
    if (claim && strcmp(claim, "commutative") == 0)
      r->to->flags |= RH_OP_COMMUTATIVE;
    else if (claim && strcmp(claim, "associative") == 0)
      r->to->claims_associative = 1;
    else
      return expect(r, "claims", "\"associative\" and \"commutative\"");
  }
  return RH_OK;
}

/* ---- The whole ---- */

static rh_status check_keys(const reader *r, json_t *object) {
  static const char *const known[] = {"redhost", "name",     "summary", "operands", "op",
                                      "map",     "value",    "load",    "identity", "let",
                                      "combine", "finalize", "claims"};
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(key, known[k]) != 0) k++;
    if (k == sizeof known / sizeof *known)
      return rh_fail(r->error, RH_E_FILE, "%s: unknown key \"%.64s\"", r->origin, key);
  }
  const char *schema = json_string_value(json_object_get(object, "redhost"));
  if (!schema || strcmp(schema, "operator/1") != 0) return expect(r, "redhost", "\"operator/1\"");
  return RH_OK;
}

static rh_status take_struct(const reader *r, json_t *object) {
  rh_definition *to = r->to;
  RH_TRY(take_fields(r, json_object_get(object, "value")));
  RH_TRY(take_texts(r, "load", json_object_get(object, "load"), offsetof(rh_field_text, load)));
  RH_TRY(take_texts(r, "identity", json_object_get(object, "identity"),
                    offsetof(rh_field_text, identity)));
  RH_TRY(take_texts(r, "combine", json_object_get(object, "combine"),
                    offsetof(rh_field_text, combine)));
  return take_named(r, "let", json_object_get(object, "let"), to->lets, RH_MOST_LETS, &to->n_lets);
}

static rh_status take_all(const reader *r, json_t *object) {
  rh_definition *to = r->to;
  const char *name = json_string_value(json_object_get(object, "name"));
  RH_TRY(check_keys(r, object));
  RH_TRY(take_name(r, "name", name ? name : "", to->name));
  RH_TRY(take_operands(r, json_object_get(object, "operands")));
  if (json_object_get(object, "summary"))
    RH_TRY(take_text(r, "summary", json_object_get(object, "summary"), &to->summary));
  if (json_object_get(object, "value")) {
    RH_TRY(take_struct(r, object));
  } else {
    RH_TRY(take_text(r, "op", json_object_get(object, "op"), &to->ops));
    RH_TRY(take_text(r, "map", json_object_get(object, "map"), &to->map));
  }
  RH_TRY(take_claims(r, json_object_get(object, "claims")));
  return take_named(r, "finalize", json_object_get(object, "finalize"), to->results, RH_MOST_FIELDS,
                    &to->n_results);
}

rh_status rh_definition_read(rh_definition *definition, const char *json, size_t length,
                             const char *origin, rh_error *error) {
  const reader r = {origin, definition, error};
  json_error_t why;
  *definition = (rh_definition){0};
  json_t *object = json_loadb(json, length, JSON_REJECT_DUPLICATES, &why);
  if (!object) return rh_fail(error, RH_E_FILE, "%s: line %d: %s", origin, why.line, why.text);
  rh_status status = json_is_object(object)
                         ? take_all(&r, object)
                         : rh_fail(error, RH_E_FILE, "%s: expected an object", origin);
  json_decref(object);
  if (status != RH_OK) rh_definition_finish(definition);
  return status;
}

rh_status rh_definition_read_file(rh_definition *definition, const char *path, rh_error *error) {
  FILE *file = fopen(path, "rbe");
  if (!file) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  char *text = malloc(RH_OPERATOR_FILE_BYTES + 1);
  size_t length = text ? fread(text, 1, RH_OPERATOR_FILE_BYTES + 1, file) : 0;
  rh_status status = RH_OK;
  if (!text)
    status = rh_fail(error, RH_E_NOMEM, "no memory for %s", path);
  else if (ferror(file))
    status = rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  else if (length > RH_OPERATOR_FILE_BYTES)
    status = rh_fail(error, RH_E_FILE, "%s: more than 1 MiB", path);
  fclose(file);
  if (status == RH_OK) status = rh_definition_read(definition, text, length, path, error);
  free(text);
  return status;
}
