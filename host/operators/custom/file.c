#include "internal.h"

enum { MOST_SUMMARY_BYTES = 200 };

enum { MAPPED = 1, STRUCT = 2, CODE = 4, ALL = 7 }; /* forms of an operator */

typedef struct reader {
  rh_definition *to;
  const json_t *object; /* of the file, or of a member of its by_type */
  int form;
  rh_error *error;
} reader;

/* A key of an object, and what is done with its value. */
typedef struct row row;
typedef rh_status take(const reader *r, const row *key, const json_t *value);
struct row {
  const char *name;
  int forms;          /* that may have it */
  int is_of_the_type; /* may it stand in "by_type"? */
  int is_optional;
  take *take;
  const char *what; /* is expected of it */
  size_t to;        /* where a text goes in the definition; those of the fields: in a field */
  /* Of an object of 1 to `most` members: takes number k. */
  size_t most;
  rh_status (*take_member)(const reader *r, const row *key, uint32_t k, const char *name,
                           const json_t *value);
};

static const char an_expression[] = "a string with an expression";
static const char a_name[] = "a name of at most 63 letters, digits and '_', not i, n, inf or nan";

/* ---- Places and messages ---- */

static int64_t number_of(const json_t *object, const char *name) {
  int64_t k = 0;
  for (void *at = json_object_iter((json_t *)object); at;
       at = json_object_iter_next((json_t *)object, at), k++)
    if (strcmp(json_object_iter_key(at), name) == 0) return k;
  return RH_ITEM_WHOLE;
}

/* Where item `item` of a key's value is in the definition's file, or its name. */
static rh_json_place place_of(const rh_definition *of, const char *key, int64_t item, int of_name);

static rh_status expect_at(const reader *r, const char *key, int64_t item, int of_name,
                           const char *what) {
  rh_json_place at = place_of(r->to, key, item, of_name);
  const char *missing = json_object_get(r->object, key) ? "" : " is missing";
  return rh_fail(r->error, RH_E_FILE, "%.500s:%u:%u: \"%s\"%s: expected %s", r->to->origin, at.line,
                 at.column, key, missing, what);
}

static rh_status expect(const reader *r, const row *key, int64_t item, const char *what) {
  return expect_at(r, key->name, item, 0, what);
}

/* ---- Values of keys ---- */

static void *member(void *of, size_t offset) { return (char *)of + offset; }

static rh_status take_string(const reader *r, const row *key, int64_t item, const json_t *value,
                             const char *what, const char **to) {
  *to = json_string_value(value);
  return *to ? RH_OK : expect(r, key, item, what);
}

static rh_status take_text(const reader *r, const row *key, const json_t *value) {
  return take_string(r, key, RH_ITEM_WHOLE, value, key->what, member(r->to, key->to));
}

static rh_status take_schema(const reader *r, const row *key, const json_t *value) {
  const char *schema = json_string_value(value);
  if (schema && strcmp(schema, "operator/1") == 0) return RH_OK;
  return expect(r, key, RH_ITEM_WHOLE, key->what);
}

static rh_status take_operator_name(const reader *r, const row *key, const json_t *value) {
  const char *name = r->to->name = json_string_value(value);
  if (!name || !rh_definition_name_is_valid(name)) return expect(r, key, RH_ITEM_WHOLE, key->what);
  if (rh_op_from_name(name))
    return expect(r, key, RH_ITEM_WHOLE, "a name that no built-in operator has");
  return RH_OK;
}

static rh_status take_summary(const reader *r, const row *key, const json_t *value) {
  if (json_string_length(value) > MOST_SUMMARY_BYTES)
    return expect(r, key, RH_ITEM_WHOLE, "a string of at most 200 bytes");
  return take_text(r, key, value);
}

/* One string, or a list of lines, which are joined: those of code end with a line break each. */
static rh_status take_lines(const reader *r, const row *key, const json_t *value) {
  int is_list = json_is_array(value), is_code = (key->forms & MAPPED) == 0;
  size_t n = is_list ? json_array_size(value) : 1;
  rh_json_place before = {0, 0};
  RH_FINISHED(rh_text) text = {0};
  if (is_code && n == 0) return expect(r, key, RH_ITEM_WHOLE, key->what);
  for (size_t k = 0; k < n; k++) {
    const char *line = json_string_value(is_list ? json_array_get(value, k) : value);
    int64_t item = is_list ? (int64_t)k : RH_ITEM_WHOLE;
    if (!line) return expect(r, key, item, key->what);
    rh_json_place at = place_of(r->to, key->name, item, 0);
    /* A compiler's messages name the line in the file. */
    if (is_code && (!text.length || at.line != before.line + 1))
      rh_definition_add_line(&text, rh_path_name(r->to->origin), at.line);
    rh_text_add(&text, "%s%s%s", k && !is_code ? "\n" : "", line, is_code ? "\n" : "");
    before = at;
  }
  json_t *whole = text.failed ? NULL : json_string(rh_text_get(&text));
  json_object_set_new(r->to->own, key->name, whole);
  *(const char **)member(r->to, key->to) = json_string_value(whole);
  return whole ? RH_OK : rh_fail(r->error, RH_E_NOMEM, "no memory for an operator");
}

static rh_status take_operands(const reader *r, const row *key, const json_t *list) {
  rh_definition *to = r->to;
  size_t n = json_array_size(list);
  if (!json_is_array(list) || n == 0 || n > RH_MOST_OPERANDS)
    return expect(r, key, RH_ITEM_WHOLE, key->what);
  for (size_t k = 0; k < n; k++) {
    const char *name = to->operands[k] = json_string_value(json_array_get(list, k));
    if (!name || !rh_definition_name_is_valid(name)) return expect(r, key, (int64_t)k, a_name);
    for (size_t j = 0; j < k; j++)
      if (strcmp(to->operands[j], name) == 0)
        return expect(r, key, (int64_t)k, "a name that no operand before it has");
  }
  to->n_operands = (uint32_t)n;
  return RH_OK;
}

static rh_status take_claims(const reader *r, const row *key, const json_t *list) {
  if (!json_is_array(list)) return expect(r, key, RH_ITEM_WHOLE, key->what);
  for (size_t k = 0; k < json_array_size(list); k++) {
    const char *claim = json_string_value(json_array_get(list, k));
    if (claim && strcmp(claim, "commutative") == 0) r->to->flags |= RH_OP_COMMUTATIVE;
    else if (claim && strcmp(claim, "associative") == 0) r->to->claims_associative = 1;
    else return expect(r, key, (int64_t)k, "\"associative\" or \"commutative\"");
  }
  return RH_OK;
}

/* One text for each field. */
static rh_status take_texts(const reader *r, const row *key, const json_t *list) {
  char what[128];
  snprintf(what, sizeof what, "a list of %u expression%s, one for each field of \"value\"",
           r->to->n_fields, r->to->n_fields == 1 ? "" : "s");
  if (!json_is_array(list) || json_array_size(list) != r->to->n_fields)
    return expect(r, key, RH_ITEM_WHOLE, what);
  for (uint32_t k = 0; k < r->to->n_fields; k++)
    RH_TRY(take_string(r, key, k, json_array_get(list, k), an_expression,
                       member(&r->to->fields[k], key->to)));
  return RH_OK;
}

/* ---- Members of an object ---- */

static rh_status take_members(const reader *r, const row *key, const json_t *object) {
  const char *name;
  json_t *value;
  uint32_t k = 0;
  if (!json_is_object(object) || json_object_size(object) == 0 ||
      json_object_size(object) > key->most)
    return expect(r, key, RH_ITEM_WHOLE, key->what);
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    RH_TRY(key->take_member(r, key, k, name, value));
    k++;
  }
  return RH_OK;
}

static rh_status expect_name(const reader *r, const row *key, uint32_t k, const char *what) {
  return expect_at(r, key->name, k, 1, what);
}

/* A field or a result may be called n. */
static int is_member_name(const char *name) {
  return strcmp(name, "n") == 0 || strcmp(name, "i") == 0 || rh_definition_name_is_valid(name);
}

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

static rh_status take_field(const reader *r, const row *key, uint32_t k, const char *name,
                            const json_t *type) {
  rh_field_text *field = &r->to->fields[k];
  *field = (rh_field_text){.name = name};
  field->type = json_is_string(type) ? rh_type_from_name(json_string_value(type)) : 0;
  if (!is_member_name(name)) return expect_name(r, key, k, a_name);
  if (rh_type_size(field->type) < 4)
    return expect(r, key, k, "the type i32, u32, i64, u64, f32 or f64");
  if (r->form == CODE && is_word_of_c(name))
    return expect_name(r, key, k, "a name that is not a word of C");
  r->to->n_fields = k + 1;
  return RH_OK;
}

static rh_status take_named(const reader *r, const row *key, uint32_t k, const char *name,
                            const json_t *text) {
  rh_definition *to = r->to;
  int is_let = key->to == offsetof(rh_definition, lets);
  rh_named_text *named = is_let ? &to->lets[k] : &to->results[k];
  if (!is_member_name(name)) return expect_name(r, key, k, a_name);
  named->name = name;
  *(is_let ? &to->n_lets : &to->n_results) = k + 1;
  return take_string(r, key, k, text, an_expression, &named->text);
}

static rh_status take_constant(const reader *r, const row *key, uint32_t k, const char *name,
                               const json_t *number) {
  rh_definition *to = r->to;
  rh_let *constant = &to->constants[k];
  int is_new = rh_definition_name_is_valid(name);
  for (uint32_t j = 0; j < to->n_operands; j++) is_new &= strcmp(name, to->operands[j]) != 0;
  if (!is_new)
    return expect_name(r, key, k, "a name of letters, digits and '_' that no operand has");
  if (!json_is_number(number)) return expect(r, key, k, "a number");
  memcpy(constant->name, name, strlen(name) + 1);
  constant->value.is_float = json_is_real(number);
  if (constant->value.is_float) constant->value.x = json_real_value(number);
  else constant->value.x = json_integer_value(number);
  to->n_constants = k + 1;
  return RH_OK;
}

static rh_status take_code(const reader *r, const row *key, const json_t *code) {
  const char *name = json_string_value(code);
  if (!name || !*name || strchr(name, '/') || json_object_get(r->object, "source"))
    return expect(r, key, RH_ITEM_WHOLE, key->what);
  return take_text(r, key, code);
}

/* ---- The whole ---- */

static rh_status take_of_type(const reader *r, const row *key, uint32_t k, const char *name,
                              const json_t *body);

#define TEXT(member)  offsetof(rh_definition, member), 0, NULL
#define FIELD(member) offsetof(rh_field_text, member), 0, NULL
#define NAMED(member) offsetof(rh_definition, member), 16, take_named
static const row keys[] = {
    {"redhost", ALL, 0, 0, take_schema, "\"operator/1\"", 0, 0, NULL},
    {"name", ALL, 0, 0, take_operator_name, a_name, 0, 0, NULL},
    {"summary", ALL, 0, 1, take_summary, "a string", TEXT(summary)},
    {"about", ALL, 0, 1, take_lines, "a string, or a list of strings", TEXT(about)},
    {"operands", ALL, 0, 0, take_operands, "a list of 1 to 8 names", 0, 0, NULL},
    {"op", MAPPED, 1, 0, take_text, "a built-in operator, or \"value\" for an operator of its own",
     TEXT(ops)},
    {"map", MAPPED, 1, 0, take_text, an_expression, TEXT(map)},
    {"where", MAPPED | STRUCT, 0, 1, take_text, an_expression, TEXT(where)},
    {"initial", MAPPED, 0, 1, take_text, an_expression, TEXT(initial)},
    {"value", STRUCT | CODE, 1, 0, take_members, "an object of 1 to 16 fields and their types", 0,
     RH_MOST_FIELDS, take_field},
    {"load", STRUCT, 1, 0, take_texts, NULL, FIELD(load)},
    {"let", STRUCT, 1, 1, take_members, "an object of 1 to 16 names and expressions", NAMED(lets)},
    {"identity", STRUCT, 1, 0, take_texts, NULL, FIELD(identity)},
    {"combine", STRUCT, 1, 0, take_texts, NULL, FIELD(combine)},
    {"code", CODE, 0, 1, take_code,
     "the name of a file of OpenCL C beside this one, and no \"source\"", TEXT(code_file)},
    {"source", CODE, 0, 1, take_lines, "a string of OpenCL C, or a list of lines", TEXT(code)},
    {"constants", MAPPED | STRUCT, 0, 1, take_members, "an object of 1 to 16 names and numbers", 0,
     RH_MOST_CONSTANTS, take_constant},
    {"finalize", ALL, 1, 1, take_members, "an object of 1 to 16 names and expressions",
     NAMED(results)},
    {"claims", ALL, 1, 1, take_claims, "a list of \"associative\" and \"commutative\"", 0, 0, NULL},
    {"by_type", MAPPED | STRUCT, 0, 1, take_members, "an object of types and what is theirs", 0,
     SIZE_MAX, take_of_type}};
enum { N_KEYS = sizeof keys / sizeof *keys };

/* Null: there is none, or a member of "by_type" has none. */
static const row *row_of(const char *name, int of_the_type) {
  for (size_t k = 0; k < N_KEYS; k++)
    if (strcmp(keys[k].name, name) == 0)
      return of_the_type && !keys[k].is_of_the_type ? NULL : &keys[k];
  return NULL;
}

static const json_t *body_of(const rh_definition *of) {
  return of->body ? of->by_type[of->body - 1].body : NULL;
}

static rh_json_place place_of(const rh_definition *of, const char *key, int64_t item, int of_name) {
  int64_t path[5], *to = path;
  const json_t *object = of->file, *body = body_of(of);
  if (body && (json_object_get(body, key) || row_of(key, 1))) {
    *to++ = number_of(object, "by_type");
    *to++ = of->body - 1;
    object = body;
  }
  *to++ = number_of(object, key);
  *to++ = item;
  *to = RH_ITEM_WHOLE;
  return rh_json_place_find(of->json, path, of_name);
}

const char *rh_definition_what(char what[RH_WHAT_BYTES], const rh_definition *definition,
                               const char *key, int64_t item) {
  if (!json_object_get(body_of(definition), key) && !json_object_get(definition->file, key)) {
    snprintf(what, RH_WHAT_BYTES, "%s", key);
    return what;
  }
  rh_json_place at = place_of(definition, key, item, 0);
  snprintf(what, RH_WHAT_BYTES, "%.500s:%u:%u: \"%s\"", definition->origin, at.line, at.column,
           key);
  return what;
}

rh_status rh_definition_blame(const rh_definition *definition, const char *key, int64_t item,
                              rh_error *error) {
  rh_status status = error ? error->status : RH_E_USAGE;
  if (!definition->file) return status;
  return rh_error_prefix(error, status, "%s", RH_WHAT(definition, key, item));
}

static rh_status unknown_key(const reader *r, const char *key) {
  const char *names[N_KEYS];
  char hint[RH_SUGGESTION_BYTES];
  RH_FINISHED(rh_text) known = {0};
  rh_json_place at = place_of(r->to, key, RH_ITEM_WHOLE, 1);
  size_t n = 0;
  for (size_t k = 0; k < N_KEYS; k++) {
    if (r->to->body && !keys[k].is_of_the_type) continue;
    names[n++] = keys[k].name;
    rh_text_add(&known, " %s", keys[k].name);
  }
  return rh_fail(r->error, RH_E_FILE, "%.500s:%u:%u: unknown key \"%s\"%s Expected one of%s",
                 r->to->origin, at.line, at.column, rh_quotable(key),
                 rh_suggest(hint, key, names, n, "."), rh_text_get(&known));
}

/* Those that nothing is known of, and those of another form. */
static rh_status check_keys(const reader *r) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)r->object, name, value) {
    const row *key = row_of(name, r->to->body != 0);
    if (!key) return unknown_key(r, name);
    if (key->forms & r->form) continue;
    return expect_at(r, name, RH_ITEM_WHOLE, 1,
                     r->form == CODE     ? "no such key beside OpenCL C, which has it as a function"
                     : r->form == STRUCT ? "no such key beside \"value\", which has \"load\", "
                                           "\"identity\" and \"combine\""
                                         : "\"value\", the fields' types, beside it");
  }
  return RH_OK;
}

/* Finds the form of the object, and takes all that it has. */
static rh_status take_object(rh_definition *to, const json_t *object, rh_error *error) {
  int has_code = json_object_get(object, "code") || json_object_get(object, "source");
  int form = has_code ? CODE : json_object_get(object, "value") ? STRUCT : MAPPED;
  const reader r = {to, object, form, error};
  if (!to->body) RH_TRY(take_schema(&r, keys, json_object_get(object, keys->name)));
  RH_TRY(check_keys(&r));
  for (const row *key = keys + 1; key < keys + N_KEYS; key++) {
    const json_t *value = json_object_get(object, key->name);
    if (!(key->forms & form) || (to->body && !key->is_of_the_type)) continue;
    if (value || !key->is_optional) RH_TRY(key->take(&r, key, value));
  }
  return RH_OK;
}

/* ---- What there is for operands of some types ---- */

static rh_status take_body(rh_definition *to, uint32_t k, rh_error *error) {
  to->ops = to->map = NULL;
  to->n_fields = to->n_lets = to->n_results = to->flags = to->n_by_type = 0;
  to->claims_associative = 0;
  to->body = k + 1;
  return take_object(to, to->by_type[k].body, error);
}

/* What is said of the exact answer goes before what is said of any. */
rh_definition rh_definition_for(const rh_definition *of, rh_type type) {
  uint32_t any = UINT32_C(1) << type, exact = of->accuracy ? any << RH_BY_EXACT : 0, k = 0;
  rh_definition made = *of;
  while (k < of->n_by_type && !(of->by_type[k].types & exact)) k++;
  if (k == of->n_by_type)
    for (k = 0; k < of->n_by_type && !(of->by_type[k].types & any);) k++;
  if (k < of->n_by_type) take_body(&made, k, NULL); /* it was right before */
  return made;
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

static rh_status take_of_type(const reader *r, const row *key, uint32_t k, const char *name,
                              const json_t *body) {
  uint32_t types = types_named(name), before = 0;
  for (uint32_t j = 0; j < k; j++) before |= r->to->by_type[j].types;
  if (types == 0 || types & before)
    return expect_name(r, key, k,
                       "names of types that no name before it has, as in \"i64 u64\" or "
                       "\"exact i64 u64\"");
  if (!json_is_object(body)) return expect(r, key, k, "an object with \"op\" or \"value\"");
  r->to->by_type[r->to->n_by_type++] = (rh_by_type){types, body};
  rh_definition tried = *r->to;
  return take_body(&tried, k, r->error);
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
  json_t *file = json_loadb(json, length, JSON_REJECT_DUPLICATES, &why);
  if (!file) return rh_json_refuse(json, length, origin, &why, error);
  definition->file = file;
  definition->own = json_pack("{s:o, s:o, s:o}", "file", file, "json", json_stringn(json, length),
                              "origin", json_stringn_nocheck(origin, strlen(origin)));
  definition->json = json_string_value(json_object_get(definition->own, "json"));
  definition->origin = json_string_value(json_object_get(definition->own, "origin"));
  rh_status status = !definition->own ? rh_fail(error, RH_E_NOMEM, "no memory for an operator")
                     : json_is_object(file)
                         ? take_object(definition, file, error)
                         : rh_fail(error, RH_E_FILE, "%.500s:1:1: expected a JSON object", origin);
  if (status != RH_OK) rh_definition_finish(definition);
  return status;
}
