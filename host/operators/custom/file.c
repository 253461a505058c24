#include "internal.h"

enum { MOST_SUMMARY_BYTES = 200 };

enum { MOST_DEPTH = 4 /* of a place in a text: by_type, its member, a key, an item */ };

enum { MAPPED = 1, STRUCT = 2, CODE = 4, ALL = 7 }; /* forms of an operator */

typedef struct reader {
  const char *origin, *json;
  size_t length;
  json_t *object;
  int64_t within[MOST_DEPTH]; /* `depth` numbers lead to the object from the whole text's */
  int depth, form;
  rh_definition *to;
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
  /* A text: where it goes in the definition, and its place.  Texts of the fields: in a field. */
  size_t to, at;
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

static rh_status take_string(const reader *r, const char *key, int64_t item, const json_t *value,
                             const char *what, char **to) {
  if (!json_is_string(value)) return expect(r, key, item, what);
  return rh_copy(to, json_string_value(value), "an operator", r->error);
}

static void *member(void *of, size_t offset) { return (char *)of + offset; }

static rh_status take_text(const reader *r, const row *key, const json_t *value) {
  if (key->at) *(rh_json_place *)member(r->to, key->at) = place_of(r, key->name, RH_PLACE_SELF, 0);
  return take_string(r, key->name, RH_PLACE_SELF, value, key->what, member(r->to, key->to));
}

static rh_status take_schema(const reader *r, const row *key, const json_t *value) {
  const char *schema = json_string_value(value);
  if (schema && strcmp(schema, "operator/1") == 0) return RH_OK;
  return expect(r, key->name, RH_PLACE_SELF, key->what);
}

static rh_status take_operator_name(const reader *r, const row *key, const json_t *value) {
  const char *name = json_string_value(value);
  if (!name || !rh_definition_name_is_valid(name))
    return expect(r, key->name, RH_PLACE_SELF, key->what);
  if (rh_op_from_name(name))
    return expect(r, key->name, RH_PLACE_SELF, "a name that no built-in operator has");
  memcpy(r->to->name, name, strlen(name) + 1);
  return RH_OK;
}

static rh_status take_summary(const reader *r, const row *key, const json_t *value) {
  if (json_string_length(value) > MOST_SUMMARY_BYTES)
    return expect(r, key->name, RH_PLACE_SELF, "a string of at most 200 bytes");
  return take_text(r, key, value);
}

/* One string, or a list of lines.  to_line: called before each of them. */
static rh_status take_lines(const reader *r, const row *key, const json_t *value,
                            void (*to_line)(const reader *r, rh_text *text, rh_json_place at)) {
  int is_list = json_is_array(value);
  rh_text text = {0};
  rh_text_append(&text, "", 0);
  for (size_t k = 0; k < (is_list ? json_array_size(value) : 1); k++) {
    const char *line = json_string_value(is_list ? json_array_get(value, k) : value);
    int64_t item = is_list ? (int64_t)k : RH_PLACE_SELF;
    if (!line) {
      rh_text_finish(&text);
      return expect(r, key->name, item, key->what);
    }
    if (to_line) to_line(r, &text, place_of(r, key->name, item, 0));
    rh_text_add(&text, "%s%s%s", k && !to_line ? "\n" : "", line, to_line ? "\n" : "");
  }
  *(char **)member(r->to, key->to) = text.s;
  return text.failed ? rh_fail(r->error, RH_E_NOMEM, "no memory for an operator") : RH_OK;
}

static rh_status take_about(const reader *r, const row *key, const json_t *value) {
  return take_lines(r, key, value, NULL);
}

static rh_status take_operands(const reader *r, const row *key, const json_t *list) {
  rh_definition *to = r->to;
  size_t n = json_array_size(list);
  if (!json_is_array(list) || n == 0 || n > RH_MOST_OPERANDS)
    return expect(r, key->name, RH_PLACE_SELF, key->what);
  for (size_t k = 0; k < n; k++) {
    const char *name = json_string_value(json_array_get(list, k));
    if (!name || !rh_definition_name_is_valid(name))
      return expect(r, key->name, (int64_t)k, a_name);
    for (size_t j = 0; j < k; j++)
      if (strcmp(to->operands[j], name) == 0)
        return expect(r, key->name, (int64_t)k, "a name that no operand before it has");
    memcpy(to->operands[k], name, strlen(name) + 1);
    to->operands_at[k] = place_of(r, key->name, (int64_t)k, 0);
  }
  to->n_operands = (uint32_t)n;
  return RH_OK;
}

static rh_status take_claims(const reader *r, const row *key, const json_t *list) {
  if (!json_is_array(list)) return expect(r, key->name, RH_PLACE_SELF, key->what);
  for (size_t k = 0; k < json_array_size(list); k++) {
    const char *claim = json_string_value(json_array_get(list, k));
    if (claim && strcmp(claim, "commutative") == 0) r->to->flags |= RH_OP_COMMUTATIVE;
    else if (claim && strcmp(claim, "associative") == 0) r->to->claims_associative = 1;
    else return expect(r, key->name, (int64_t)k, "\"associative\" or \"commutative\"");
  }
  return RH_OK;
}

/* One text for each field. */
static rh_status take_texts(const reader *r, const row *key, const json_t *list) {
  char what[128];
  snprintf(what, sizeof what, "a list of %u expression%s, one for each field of \"value\"",
           r->to->n_fields, r->to->n_fields == 1 ? "" : "s");
  if (!json_is_array(list) || json_array_size(list) != r->to->n_fields)
    return expect(r, key->name, RH_PLACE_SELF, what);
  for (uint32_t k = 0; k < r->to->n_fields; k++) {
    rh_field_text *field = &r->to->fields[k];
    *(rh_json_place *)member(field, key->at) = place_of(r, key->name, k, 0);
    RH_TRY(take_string(r, key->name, k, json_array_get(list, k), an_expression,
                       member(field, key->to)));
  }
  return RH_OK;
}

/* ---- Members of an object ---- */

static rh_status take_members(const reader *r, const row *key, const json_t *object) {
  const char *name;
  json_t *value;
  uint32_t k = 0;
  if (!json_is_object(object) || json_object_size(object) == 0 ||
      json_object_size(object) > key->most)
    return expect(r, key->name, RH_PLACE_SELF, key->what);
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    RH_TRY(key->take_member(r, key, k, name, value));
    k++;
  }
  return RH_OK;
}

static rh_status expect_name(const reader *r, const row *key, uint32_t k, const char *what) {
  return expect_at(r, key->name, place_of(r, key->name, k, 1), what);
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
  field->type = json_is_string(type) ? rh_type_from_name(json_string_value(type)) : 0;
  if (!is_member_name(name)) return expect_name(r, key, k, a_name);
  if (rh_type_size(field->type) < 4)
    return expect(r, key->name, k, "the type i32, u32, i64, u64, f32 or f64");
  if (r->form == CODE && is_word_of_c(name))
    return expect_name(r, key, k, "a name that is not a word of C");
  memcpy(field->name, name, strlen(name) + 1);
  r->to->n_fields = k + 1;
  return RH_OK;
}

static rh_status take_named(const reader *r, const row *key, uint32_t k, const char *name,
                            const json_t *text) {
  rh_named_text *to = (rh_named_text *)member(r->to, key->to) + k;
  if (!is_member_name(name)) return expect_name(r, key, k, a_name);
  memcpy(to->name, name, strlen(name) + 1);
  to->at = place_of(r, key->name, k, 0);
  RH_TRY(take_string(r, key->name, k, text, an_expression, &to->text));
  *(uint32_t *)member(r->to, key->at) = k + 1;
  return RH_OK;
}

static rh_status take_constant(const reader *r, const row *key, uint32_t k, const char *name,
                               const json_t *number) {
  rh_definition *to = r->to;
  rh_named_number *constant = &to->constants[k];
  int is_new = rh_definition_name_is_valid(name);
  for (uint32_t j = 0; j < to->n_operands; j++) is_new &= strcmp(name, to->operands[j]) != 0;
  if (!is_new)
    return expect_name(r, key, k, "a name of letters, digits and '_' that no operand has");
  if (!json_is_number(number)) return expect(r, key->name, k, "a number");
  memcpy(constant->name, name, strlen(name) + 1);
  constant->value.is_float = json_is_real(number);
  if (constant->value.is_float) constant->value.as.f = json_real_value(number);
  else constant->value.as.i = json_integer_value(number);
  to->n_constants = k + 1;
  return RH_OK;
}

/* ---- Code ---- */

/* The compiler's messages name the line in the file. */
static void add_place(const reader *r, rh_text *text, rh_json_place at) {
  const char *slash = strrchr(r->origin, '/');
  if (!text->length || at.line != r->to->code_at.line + 1)
    rh_definition_add_line(text, slash ? slash + 1 : r->origin, at.line);
  r->to->code_at = at;
}

static rh_status take_source(const reader *r, const row *key, const json_t *value) {
  if (json_is_array(value) && json_array_size(value) == 0)
    return expect(r, key->name, RH_PLACE_SELF, key->what);
  return take_lines(r, key, value, add_place);
}

static rh_status take_code(const reader *r, const row *key, const json_t *code) {
  const char *name = json_string_value(code);
  if (!name || !*name || strchr(name, '/') || json_object_get(r->object, "source"))
    return expect(r, key->name, RH_PLACE_SELF, key->what);
  return take_text(r, key, code);
}

/* ---- The whole ---- */

static rh_status take_of_type(const reader *r, const row *key, uint32_t k, const char *name,
                              const json_t *body);

#define TEXT(member)  offsetof(rh_definition, member), offsetof(rh_definition, member##_at)
#define FIELD(member) offsetof(rh_field_text, member), offsetof(rh_field_text, member##_at)
#define NAMED(member)                                                                              \
  offsetof(rh_definition, member), offsetof(rh_definition, n_##member), 16, take_named
static const row keys[] = {
    {"redhost", ALL, 0, 0, take_schema, "\"operator/1\"", 0, 0, 0, NULL},
    {"name", ALL, 0, 0, take_operator_name, a_name, 0, 0, 0, NULL},
    {"summary", ALL, 0, 1, take_summary, "a string", offsetof(rh_definition, summary), 0, 0, NULL},
    {"about", ALL, 0, 1, take_about, "a string, or a list of strings",
     offsetof(rh_definition, about), 0, 0, NULL},
    {"operands", ALL, 0, 0, take_operands, "a list of 1 to 8 names", 0, 0, 0, NULL},
    {"op", MAPPED, 1, 0, take_text, "a built-in operator, or \"value\" for an operator of its own",
     TEXT(ops), 0, NULL},
    {"map", MAPPED, 1, 0, take_text, an_expression, TEXT(map), 0, NULL},
    {"where", MAPPED | STRUCT, 0, 1, take_text, an_expression, TEXT(where), 0, NULL},
    {"initial", MAPPED, 0, 1, take_text, an_expression, TEXT(initial), 0, NULL},
    {"value", STRUCT | CODE, 1, 0, take_members, "an object of 1 to 16 fields and their types", 0,
     0, RH_MOST_FIELDS, take_field},
    {"load", STRUCT, 1, 0, take_texts, NULL, FIELD(load), 0, NULL},
    {"let", STRUCT, 1, 1, take_members, "an object of 1 to 16 names and expressions", NAMED(lets)},
    {"identity", STRUCT, 1, 0, take_texts, NULL, FIELD(identity), 0, NULL},
    {"combine", STRUCT, 1, 0, take_texts, NULL, FIELD(combine), 0, NULL},
    {"code", CODE, 0, 1, take_code,
     "the name of a file of OpenCL C beside this one, and no \"source\"",
     offsetof(rh_definition, code_file), offsetof(rh_definition, code_at), 0, NULL},
    {"source", CODE, 0, 1, take_source, "a string of OpenCL C, or a list of lines",
     offsetof(rh_definition, code), 0, 0, NULL},
    {"constants", MAPPED | STRUCT, 0, 1, take_members, "an object of 1 to 16 names and numbers", 0,
     0, RH_MOST_CONSTANTS, take_constant},
    {"finalize", ALL, 1, 1, take_members, "an object of 1 to 16 names and expressions",
     NAMED(results)},
    {"claims", ALL, 1, 1, take_claims, "a list of \"associative\" and \"commutative\"", 0, 0, 0,
     NULL},
    {"by_type", MAPPED | STRUCT, 0, 1, take_members, "an object of types and what is theirs", 0, 0,
     SIZE_MAX, take_of_type}};
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

/* Those that nothing is known of, and those of another form. */
static rh_status check_keys(const reader *r) {
  const char *name;
  json_t *value;
  json_object_foreach(r->object, name, value) {
    size_t k = 0;
    while (k < N_KEYS && strcmp(name, keys[k].name) != 0) k++;
    if (k == N_KEYS || (r->depth && !keys[k].is_of_the_type)) return unknown_key(r, name);
    if (keys[k].forms & r->form) continue;
    return expect_at(r, name, place_of(r, name, RH_PLACE_SELF, 1),
                     r->form == CODE     ? "no such key beside OpenCL C, which has it as a function"
                     : r->form == STRUCT ? "no such key beside \"value\", which has \"load\", "
                                           "\"identity\" and \"combine\""
                                         : "\"value\", the fields' types, beside it");
  }
  return RH_OK;
}

/* Finds the form of the object, and takes all that it has. */
static rh_status take_object(reader *r, json_t *object) {
  r->object = object;
  r->form = json_object_get(object, "code") || json_object_get(object, "source") ? CODE
            : json_object_get(object, "value")                                   ? STRUCT
                                                                                 : MAPPED;
  if (!r->depth) RH_TRY(take_schema(r, keys, json_object_get(object, keys->name)));
  RH_TRY(check_keys(r));
  for (size_t k = 1; k < N_KEYS; k++) {
    const row *key = &keys[k];
    const json_t *value = json_object_get(object, key->name);
    if (!(key->forms & r->form) || (r->depth && !key->is_of_the_type)) continue;
    if (value || !key->is_optional) RH_TRY(key->take(r, key, value));
  }
  return RH_OK;
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
  if (!json_is_object(body)) return expect(r, key->name, k, "an object with \"op\" or \"value\"");
  reader of = *r;
  of.within[of.depth++] = number_of(r->object, key->name);
  of.within[of.depth++] = k;
  RH_TRY(RH_NEW(&of.to, 1, "an operator", r->error));
  r->to->by_type[r->to->n_by_type++] = (rh_by_type){types, of.to};
  return take_object(&of, (json_t *)(uintptr_t)body);
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
  json_t *object = json_loadb(json, length, JSON_REJECT_DUPLICATES, &why);
  if (!object) return rh_json_refuse(json, length, origin, &why, error);
  rh_status status = json_is_object(object)
                         ? take_object(&r, object)
                         : rh_fail(error, RH_E_FILE, "%.500s:1:1: expected a JSON object", origin);
  json_decref(object);
  definition->json_length = length;
  if (status == RH_OK &&
      (!(definition->origin = strdup(origin)) || !(definition->json = strndup(json, length))))
    status = rh_fail(error, RH_E_NOMEM, "no memory for an operator");
  if (status != RH_OK) rh_definition_finish(definition);
  return status;
}
