#include "file.h"
#include "../../core/base/alloc.h"
#include "places.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SUMMARY_BYTES = 200 };

enum { MOST_DEPTH = 4 /* of a place in a text: by_type, its member, a key, an item */ };

typedef struct reader {
  const char *origin, *json;
  size_t length;
  json_t *object;
  int64_t within[MOST_DEPTH]; /* `depth` numbers lead to the object from the whole text's */
  int depth;
  rh_definition *to;
  rh_error *error;
} reader;

static const char an_expression[] = "a string with an expression";
static const char a_name[] = "a name of at most 63 letters, digits and '_', not i, n, inf or nan";

/* ---- Places and messages ---- */

static int64_t number_of(const json_t *object, const char *name) {
  int64_t k = 0;
  for (void *at = json_object_iter((json_t *)object); at;
       at = json_object_iter_next((json_t *)object, at), k++)
    if (strcmp(json_object_iter_key(at), name) == 0) return k;
  return RH_PLACE_SELF;
}

static rh_json_place place_of(const reader *r, const char *key, int64_t item, int of_name) {
  int64_t path[MOST_DEPTH];
  memcpy(path, r->within, sizeof path);
  path[r->depth] = number_of(r->object, key);
  path[r->depth + 1] = item;
  return rh_json_place_find(r->json, r->length, path, r->depth + 2, of_name);
}

static rh_status expect_at(const reader *r, const char *key, rh_json_place at, const char *what) {
  return rh_fail(r->error, RH_E_FILE, "%.500s:%u:%u: \"%s\": expected %s", r->origin, at.line,
                 at.column, key, what);
}

static rh_status expect(const reader *r, const char *key, int64_t item, const char *what) {
  if (json_object_get(r->object, key)) return expect_at(r, key, place_of(r, key, item, 0), what);
  rh_json_place at = place_of(r, key, RH_PLACE_SELF, 0);
  return rh_fail(r->error, RH_E_FILE, "%.500s:%u:%u: \"%s\" is missing: expected %s", r->origin,
                 at.line, at.column, key, what);
}

/* ---- Values of keys ---- */

static rh_status take_text(const reader *r, const char *key, int64_t item, const json_t *value,
                           const char *what, char **to) {
  if (!json_is_string(value)) return expect(r, key, item, what);
  return rh_copy(to, json_string_value(value), "an operator", r->error);
}

/* A field or a result may be called n. */
static int is_member_name(const char *name) {
  return strcmp(name, "n") == 0 || strcmp(name, "i") == 0 || rh_definition_name_is_valid(name);
}

static rh_status take_operator_name(const reader *r) {
  const char *name = json_string_value(json_object_get(r->object, "name"));
  if (!name || !rh_definition_name_is_valid(name)) return expect(r, "name", RH_PLACE_SELF, a_name);
  if (rh_op_from_name(name))
    return expect(r, "name", RH_PLACE_SELF, "a name that no built-in operator has");
  memcpy(r->to->name, name, strlen(name) + 1);
  return RH_OK;
}

static rh_status take_summary(const reader *r) {
  const json_t *summary = json_object_get(r->object, "summary");
  if (!summary) return RH_OK;
  if (json_string_length(summary) > MOST_SUMMARY_BYTES)
    return expect(r, "summary", RH_PLACE_SELF, "a string of at most 200 bytes");
  return take_text(r, "summary", RH_PLACE_SELF, summary, "a string", &r->to->summary);
}

/* One string, or a list of lines. */
static rh_status take_about(const reader *r) {
  static const char what[] = "a string, or a list of strings";
  const json_t *about = json_object_get(r->object, "about");
  rh_text text = {0};
  if (!about) return RH_OK;
  if (!json_is_array(about))
    return take_text(r, "about", RH_PLACE_SELF, about, what, &r->to->about);
  for (size_t k = 0; k < json_array_size(about); k++) {
    const char *line = json_string_value(json_array_get(about, k));
    if (!line) {
      rh_text_finish(&text);
      return expect(r, "about", (int64_t)k, what);
    }
    rh_text_add(&text, "%s%s", k ? "\n" : "", line);
  }
  r->to->about = text.s;
  return text.failed ? rh_fail(r->error, RH_E_NOMEM, "no memory for an operator") : RH_OK;
}

static rh_status take_operands(const reader *r) {
  rh_definition *to = r->to;
  const json_t *list = json_object_get(r->object, "operands");
  size_t n = json_array_size(list);
  if (!json_is_array(list) || n == 0 || n > RH_MOST_OPERANDS)
    return expect(r, "operands", RH_PLACE_SELF, "a list of 1 to 8 names");
  for (size_t k = 0; k < n; k++) {
    const char *name = json_string_value(json_array_get(list, k));
    if (!name || !rh_definition_name_is_valid(name))
      return expect(r, "operands", (int64_t)k, a_name);
    for (size_t j = 0; j < k; j++)
      if (strcmp(to->operands[j], name) == 0)
        return expect(r, "operands", (int64_t)k, "a name that no operand before it has");
    memcpy(to->operands[k], name, strlen(name) + 1);
    to->operands_at[k] = place_of(r, "operands", (int64_t)k, 0);
  }
  to->n_operands = (uint32_t)n;
  return RH_OK;
}

static rh_status take_fields(const reader *r) {
  const char *name;
  json_t *type, *value = json_object_get(r->object, "value");
  rh_definition *to = r->to;
  int64_t k = 0;
  if (!json_is_object(value) || json_object_size(value) == 0 ||
      json_object_size(value) > RH_MOST_FIELDS)
    return expect(r, "value", RH_PLACE_SELF, "an object of 1 to 16 fields and their types");
  json_object_foreach(value, name, type) {
    rh_field_text *field = &to->fields[k];
    field->type = json_is_string(type) ? rh_type_from_name(json_string_value(type)) : 0;
    if (!is_member_name(name)) return expect_at(r, "value", place_of(r, "value", k, 1), a_name);
    if (rh_type_size(field->type) < 4)
      return expect(r, "value", k, "the type i32, u32, i64, u64, f32 or f64");
    memcpy(field->name, name, strlen(name) + 1);
    to->n_fields = (uint32_t)++k;
  }
  return RH_OK;
}

/* One text for each field. */
static rh_status take_texts(const reader *r, const char *key, size_t text, size_t place) {
  const json_t *list = json_object_get(r->object, key);
  char what[128];
  snprintf(what, sizeof what, "a list of %u expression%s, one for each field of \"value\"",
           r->to->n_fields, r->to->n_fields == 1 ? "" : "s");
  if (!json_is_array(list) || json_array_size(list) != r->to->n_fields)
    return expect(r, key, RH_PLACE_SELF, what);
  for (uint32_t k = 0; k < r->to->n_fields; k++) {
    char *field = (char *)&r->to->fields[k];
    *(rh_json_place *)(void *)(field + place) = place_of(r, key, k, 0);
    RH_TRY(take_text(r, key, k, json_array_get(list, k), an_expression,
                     (char **)(void *)(field + text)));
  }
  return RH_OK;
}

static rh_status take_named(const reader *r, const char *key, rh_named_text *list, uint32_t *n) {
  const char *name;
  json_t *text, *object = json_object_get(r->object, key);
  if (!object) return RH_OK;
  if (!json_is_object(object) || json_object_size(object) == 0 || json_object_size(object) > 16)
    return expect(r, key, RH_PLACE_SELF, "an object of 1 to 16 names and expressions");
  json_object_foreach(object, name, text) {
    rh_named_text *to = &list[*n];
    if (!is_member_name(name)) return expect_at(r, key, place_of(r, key, *n, 1), a_name);
    memcpy(to->name, name, strlen(name) + 1);
    to->at = place_of(r, key, *n, 0);
    RH_TRY(take_text(r, key, *n, text, an_expression, &to->text));
    ++*n;
  }
  return RH_OK;
}

static rh_status take_constants(const reader *r) {
  rh_definition *to = r->to;
  const char *name;
  json_t *number, *object = json_object_get(r->object, "constants");
  if (!object) return RH_OK;
  if (!json_is_object(object) || json_object_size(object) == 0 ||
      json_object_size(object) > RH_MOST_CONSTANTS)
    return expect(r, "constants", RH_PLACE_SELF, "an object of 1 to 16 names and numbers");
  json_object_foreach(object, name, number) {
    rh_named_number *constant = &to->constants[to->n_constants];
    int is_new = rh_definition_name_is_valid(name);
    for (uint32_t k = 0; k < to->n_operands; k++) is_new &= strcmp(name, to->operands[k]) != 0;
    if (!is_new)
      return expect_at(r, "constants", place_of(r, "constants", to->n_constants, 1),
                       "a name of letters, digits and '_' that no operand has");
    if (!json_is_number(number)) return expect(r, "constants", to->n_constants, "a number");
    memcpy(constant->name, name, strlen(name) + 1);
    constant->value.is_float = json_is_real(number);
    if (constant->value.is_float)
      constant->value.as.f = json_real_value(number);
    else
      constant->value.as.i = json_integer_value(number);
    to->n_constants++;
  }
  return RH_OK;
}

static rh_status take_claims(const reader *r) {
  static const char what[] = "a list of \"associative\" and \"commutative\"";
  const json_t *list = json_object_get(r->object, "claims");
  if (list && !json_is_array(list)) return expect(r, "claims", RH_PLACE_SELF, what);
  for (size_t k = 0; k < json_array_size(list); k++) {
    const char *claim = json_string_value(json_array_get(list, k));
    if (claim && strcmp(claim, "commutative") == 0)
      r->to->flags |= RH_OP_COMMUTATIVE;
    else if (claim && strcmp(claim, "associative") == 0)
      r->to->claims_associative = 1;
    else
      return expect(r, "claims", (int64_t)k, "\"associative\" or \"commutative\"");
  }
  return RH_OK;
}

/* ---- The two forms ---- */

/* Names of C, which are not names in the text of code. */
static int is_word_of_c(const char *name) {
  static const char words[] =
      " auto bool break case char const constant continue default do double else enum extern "
      "float for generic global goto half if inline int kernel local long private register "
      "restrict return short signed sizeof static struct switch typedef uchar uint ulong union "
      "unsigned ushort void volatile while ";
  char word[RH_OPERATOR_NAME_BYTES + 2];
  snprintf(word, sizeof word, " %s ", name);
  return strstr(words, word) != NULL;
}

/* One string, or a list of lines; the compiler's messages name the line in the file. */
static rh_status take_source(const reader *r) {
  static const char what[] = "a string of OpenCL C, or a list of lines";
  const json_t *source = json_object_get(r->object, "source");
  int is_list = json_is_array(source);
  size_t n = is_list ? json_array_size(source) : 1;
  const char *slash = strrchr(r->origin, '/');
  rh_text text = {0};
  for (size_t k = 0; k < n; k++) {
    const char *line = json_string_value(is_list ? json_array_get(source, k) : source);
    int64_t item = is_list ? (int64_t)k : RH_PLACE_SELF;
    rh_json_place at = place_of(r, "source", item, 0);
    if (!line) {
      rh_text_finish(&text);
      return expect(r, "source", item, what);
    }
    if (k == 0 || at.line != r->to->code_at.line + 1)
      rh_definition_add_line(&text, slash ? slash + 1 : r->origin, at.line);
    r->to->code_at = at;
    rh_text_add(&text, "%s\n", line);
  }
  r->to->code = text.s;
  return text.s && !text.failed ? RH_OK : expect(r, "source", RH_PLACE_SELF, what);
}

static rh_status take_code(const reader *r) {
  rh_definition *to = r->to;
  const json_t *code = json_object_get(r->object, "code");
  for (uint32_t k = 0; k < to->n_fields; k++)
    if (is_word_of_c(to->fields[k].name))
      return expect_at(r, "value", place_of(r, "value", k, 1), "a name that is not a word of C");
  if (!code) return take_source(r);
  const char *name = json_string_value(code);
  if (!name || !*name || strchr(name, '/') || json_object_get(r->object, "source"))
    return expect(r, "code", RH_PLACE_SELF,
                  "the name of a file of OpenCL C beside this one, and no \"source\"");
  to->code_at = place_of(r, "code", RH_PLACE_SELF, 0);
  return take_text(r, "code", RH_PLACE_SELF, code, "a string", &to->code_file);
}

static rh_status take_struct(const reader *r) {
  RH_TRY(take_fields(r));
  if (json_object_get(r->object, "code") || json_object_get(r->object, "source"))
    return take_code(r);
  RH_TRY(take_texts(r, "load", offsetof(rh_field_text, load), offsetof(rh_field_text, load_at)));
  RH_TRY(take_texts(r, "identity", offsetof(rh_field_text, identity),
                    offsetof(rh_field_text, identity_at)));
  RH_TRY(take_texts(r, "combine", offsetof(rh_field_text, combine),
                    offsetof(rh_field_text, combine_at)));
  return take_named(r, "let", r->to->lets, &r->to->n_lets);
}

static rh_status take_mapped(const reader *r) {
  rh_definition *to = r->to;
  to->ops_at = place_of(r, "op", RH_PLACE_SELF, 0);
  to->map_at = place_of(r, "map", RH_PLACE_SELF, 0);
  RH_TRY(take_text(r, "op", RH_PLACE_SELF, json_object_get(r->object, "op"),
                   "a built-in operator, or \"value\" for an operator of its own", &to->ops));
  return take_text(r, "map", RH_PLACE_SELF, json_object_get(r->object, "map"), an_expression,
                   &to->map);
}

static rh_status take_optional(const reader *r, const char *key, char **text, rh_json_place *at) {
  const json_t *given = json_object_get(r->object, key);
  if (!given) return RH_OK;
  *at = place_of(r, key, RH_PLACE_SELF, 0);
  return take_text(r, key, RH_PLACE_SELF, given, an_expression, text);
}

/* ---- The whole ---- */

enum { MAPPED = 1, STRUCT = 2, CODE = 4, ALL = 7 };
static const struct {
  const char *name;
  int forms;          /* that may have it */
  int is_of_the_type; /* may it stand in "by_type"? */
} keys[] = {{"redhost", ALL, 0},
            {"name", ALL, 0},
            {"summary", ALL, 0},
            {"about", ALL, 0},
            {"operands", ALL, 0},
            {"op", MAPPED, 1},
            {"map", MAPPED, 1},
            {"where", MAPPED | STRUCT, 0},
            {"initial", MAPPED, 0},
            {"value", STRUCT | CODE, 1},
            {"load", STRUCT, 1},
            {"let", STRUCT, 1},
            {"identity", STRUCT, 1},
            {"combine", STRUCT, 1},
            {"code", CODE, 0},
            {"source", CODE, 0},
            {"constants", MAPPED | STRUCT, 0},
            {"finalize", ALL, 1},
            {"claims", ALL, 1},
            {"by_type", MAPPED | STRUCT, 0}};
enum { N_KEYS = sizeof keys / sizeof *keys };

static rh_status unknown_key(const reader *r, const char *key) {
  const char *names[N_KEYS];
  char hint[RH_SUGGESTION_BYTES];
  rh_text known = {0};
  rh_json_place at = place_of(r, key, RH_PLACE_SELF, 1);
  size_t n = 0;
  for (size_t k = 0; k < N_KEYS; k++) {
    if (r->depth && !keys[k].is_of_the_type) continue;
    names[n++] = keys[k].name;
    rh_text_add(&known, " %s", keys[k].name);
  }
  rh_fail(r->error, RH_E_FILE, "%.500s:%u:%u: unknown key \"%s\"%s Expected one of%s", r->origin,
          at.line, at.column, rh_quotable(key), rh_suggest(hint, key, names, n, "."),
          rh_text_get(&known));
  rh_text_finish(&known);
  return RH_E_FILE;
}

static int form_of(const reader *r) {
  if (json_object_get(r->object, "code") || json_object_get(r->object, "source")) return CODE;
  return json_object_get(r->object, "value") ? STRUCT : MAPPED;
}

static rh_status check_keys(const reader *r) {
  int form = form_of(r);
  const char *key;
  json_t *value;
  json_object_foreach(r->object, key, value) {
    size_t k = 0;
    while (k < N_KEYS && strcmp(key, keys[k].name) != 0) k++;
    if (k == N_KEYS || (r->depth && !keys[k].is_of_the_type)) return unknown_key(r, key);
    if (keys[k].forms & form) continue;
    return expect_at(r, key, place_of(r, key, RH_PLACE_SELF, 1),
                     form == CODE     ? "no such key beside OpenCL C, which has it as a function"
                     : form == STRUCT ? "no such key beside \"value\", which has \"load\", "
                                        "\"identity\" and \"combine\""
                                      : "\"value\", the fields' types, beside it");
  }
  return RH_OK;
}

/* Takes what stands in an object: the form, `finalize`, and the claims. */
static rh_status take_body(const reader *r) {
  RH_TRY(form_of(r) == MAPPED ? take_mapped(r) : take_struct(r));
  RH_TRY(take_claims(r));
  return take_named(r, "finalize", r->to->results, &r->to->n_results);
}

/* "i64 u64", or "exact i64 u64"; 0: not names of types. */
static uint32_t types_named(const char *list) {
  static const char exact[] = "exact ";
  int is_exact = strncmp(list, exact, strlen(exact)) == 0;
  char name[8];
  uint32_t types = 0;
  if (is_exact) list += strlen(exact);
  for (int length = 0; *list; list += length) {
    if (sscanf(list, " %7s%n", name, &length) != 1 || !rh_type_from_name(name)) return 0;
    types |= 1u << rh_type_from_name(name);
  }
  return is_exact ? types << RH_BY_EXACT : types;
}

static rh_status take_by_type(const reader *r) {
  static const char what[] = "names of types that no name before it has, as in \"i64 u64\" or "
                             "\"exact i64 u64\"";
  const char *name;
  json_t *body, *object = json_object_get(r->object, "by_type");
  uint32_t all = 0;
  if (!object) return RH_OK;
  if (!json_is_object(object) || json_object_size(object) == 0)
    return expect(r, "by_type", RH_PLACE_SELF, "an object of types and what is theirs");
  json_object_foreach(object, name, body) {
    int64_t k = r->to->n_by_type;
    uint32_t types = types_named(name);
    if (types == 0 || types & all)
      return expect_at(r, "by_type", place_of(r, "by_type", k, 1), what);
    if (!json_is_object(body)) return expect(r, "by_type", k, "an object with \"op\" or \"value\"");
    all |= types;
    reader of = *r;
    of.within[of.depth++] = number_of(r->object, "by_type");
    of.within[of.depth++] = k;
    of.object = body;
    RH_TRY(RH_NEW(&of.to, 1, "an operator", r->error));
    r->to->by_type[r->to->n_by_type++] = (rh_by_type){types, of.to};
    RH_TRY(check_keys(&of));
    RH_TRY(take_body(&of));
  }
  return RH_OK;
}

static rh_status take_all(const reader *r) {
  const char *schema = json_string_value(json_object_get(r->object, "redhost"));
  if (!schema || strcmp(schema, "operator/1") != 0)
    return expect(r, "redhost", RH_PLACE_SELF, "\"operator/1\"");
  RH_TRY(check_keys(r));
  RH_TRY(take_operator_name(r));
  RH_TRY(take_summary(r));
  RH_TRY(take_about(r));
  RH_TRY(take_operands(r));
  RH_TRY(take_constants(r));
  RH_TRY(take_optional(r, "where", &r->to->where, &r->to->where_at));
  RH_TRY(take_optional(r, "initial", &r->to->initial, &r->to->initial_at));
  RH_TRY(take_body(r));
  return take_by_type(r);
}

rh_status rh_definition_read(rh_definition *definition, const char *json, size_t length,
                             const char *origin, rh_error *error) {
  static const char mark[] = "\xef\xbb\xbf"; /* that some editors begin UTF-8 with */
  json_error_t why;
  *definition = (rh_definition){0};
  if (length >= 3 && memcmp(json, mark, 3) == 0) {
    json += 3;
    length -= 3;
  }
  reader r = {.origin = origin, .json = json, .length = length, .to = definition, .error = error};
  r.object = json_loadb(json, length, JSON_REJECT_DUPLICATES, &why);
  if (!r.object) return rh_json_refuse(json, length, origin, &why, error);
  rh_status status = json_is_object(r.object)
                         ? take_all(&r)
                         : rh_fail(error, RH_E_FILE, "%.500s:1:1: expected a JSON object", origin);
  json_decref(r.object);
  definition->json_length = length;
  if (status == RH_OK &&
      (!(definition->origin = strdup(origin)) || !(definition->json = strndup(json, length))))
    status = rh_fail(error, RH_E_NOMEM, "no memory for an operator");
  if (status != RH_OK) rh_definition_finish(definition);
  return status;
}
