#include "foreign.h"

#include "../../core/plug/plug.h"

/* ---- Types in C ---- */

/* X(name, type, libffi's type) */
#define CTYPES(X)                                                                                  \
  X("i8", RH_TYPE_i8, ffi_type_sint8)                                                              \
  X("u8", RH_TYPE_u8, ffi_type_uint8)                                                              \
  X("i16", RH_TYPE_i16, ffi_type_sint16)                                                           \
  X("u16", RH_TYPE_u16, ffi_type_uint16)                                                           \
  X("i32", RH_TYPE_i32, ffi_type_sint32)                                                           \
  X("u32", RH_TYPE_u32, ffi_type_uint32)                                                           \
  X("i64", RH_TYPE_i64, ffi_type_sint64)                                                           \
  X("u64", RH_TYPE_u64, ffi_type_uint64)                                                           \
  X("f32", RH_TYPE_f32, ffi_type_float)                                                            \
  X("f64", RH_TYPE_f64, ffi_type_double)                                                           \
  X("int", RH_TYPE_i32, ffi_type_sint)                                                             \
  X("unsigned", RH_TYPE_u32, ffi_type_uint)                                                        \
  X("long", RH_TYPE_i64, ffi_type_slong)                                                           \
  X("size_t", RH_TYPE_u64, ffi_type_ulong)                                                         \
  X("float", RH_TYPE_f32, ffi_type_float)                                                          \
  X("double", RH_TYPE_f64, ffi_type_double)                                                        \
  X("pointer", 0, ffi_type_pointer)

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(size_t) == 8, "as the table says");
#define ROW(name, type, ffi) {name, type, &ffi},
static const rh_ctype types[] = {CTYPES(ROW)};
#define NAME(name, type, ffi) " " name
static const char type_names[] = CTYPES(NAME);

static const rh_ctype *find_ctype(const char *name) {
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, name) == 0) return &types[k];
  return NULL;
}

static int is_integer(const rh_ctype *type) { return type->type && !rh_type_is_float(type->type); }

static uint64_t largest(const rh_ctype *type) {
  return UINT64_MAX >>
         (64 - 8 * rh_type_size(type->type) + (uint32_t)rh_type_is_signed(type->type));
}

/* ---- Places ---- */

/* An object of the description, and the prefix of its keys in messages. */
typedef struct place {
  const json_t *json;
  char where[40]; /* "", or "arguments[2]." */
  rh_error *error;
} place;

#define ROLE(role)   (1u << RH_ROLE_##role)
#define OF_RETURNS   (ROLE(RESULT) | ROLE(STATUS))
#define OF_ARGUMENTS (ROLE(N) | ROLE(DATA) | ROLE(STRIDE) | ROLE(RESULT) | ROLE(CONSTANT))

/* ---- One key ---- */

__attribute__((format(printf, 3, 4))) static rh_status refuse(const place *at, const char *key,
                                                              const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return rh_fail(at->error, RH_E_PLUGIN, "%s%s: %s", at->where, key, what);
}

static rh_status check_keys(const place *at, const char *const *keys, size_t n) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)at->json, key, value) {
    size_t k = 0;
    while (k < n && strcmp(keys[k], key) != 0) k++;
    if (k < n) continue;
    char hint[RH_SUGGESTION_BYTES];
    return refuse(at, rh_quotable(key), "is unknown here%s", rh_suggest(hint, key, keys, n, ""));
  }
  return RH_OK;
}

/* `otherwise`: the default; null if the key is required.  `lines`: line breaks are allowed. */
static rh_status take_text(const place *at, const char *key, const char *otherwise, int lines,
                           const char **text) {
  const json_t *value = json_object_get(at->json, key);
  *text = otherwise;
  if (!value) return otherwise ? RH_OK : refuse(at, key, "is missing");
  if (!json_is_string(value)) return refuse(at, key, "is not a string");
  *text = json_string_value(value);
  if (!otherwise && !**text) return refuse(at, key, "is empty");
  for (const char *line = *text; line;) {
    size_t length = lines ? strcspn(line, "\n") : strlen(line);
    if (!rh_is_plain_utf8(line, length)) return refuse(at, key, "has control characters");
    line = line[length] ? line + length + 1 : NULL;
  }
  return RH_OK;
}

static rh_status take_integer(const place *at, const char *key, uint64_t min, uint64_t max,
                              uint64_t otherwise, uint64_t *integer) {
  const json_t *value = json_object_get(at->json, key);
  *integer = otherwise;
  if (!value) return RH_OK;
  json_int_t i = json_integer_value(value);
  if (!json_is_integer(value) || i < 0 || (uint64_t)i < min || (uint64_t)i > max)
    return refuse(at, key, "expected a whole number from %llu to %llu", (unsigned long long)min,
                  (unsigned long long)max);
  *integer = (uint64_t)i;
  return RH_OK;
}

static rh_status take_flag(const place *at, const char *key, uint32_t otherwise, uint32_t *flag) {
  const json_t *value = json_object_get(at->json, key);
  *flag = otherwise;
  if (!value) return RH_OK;
  if (!json_is_boolean(value)) return refuse(at, key, "expected true or false");
  *flag = json_is_true(value);
  return RH_OK;
}

/* ---- Arguments and return value ---- */

static const char *const role_names[] = {"nothing", "n",      "data",    "stride",
                                         "result",  "status", "constant"};

/* `allowed`: a bit for each role. */
static rh_status take_role(const place *at, uint32_t allowed, uint32_t *role) {
  const char *name;
  char names[64] = "";
  size_t used = 0;
  RH_TRY(take_text(at, "role", NULL, 0, &name));
  for (*role = 0; *role < RH_N_ROLES; ++*role) {
    if (!(allowed & 1u << *role)) continue;
    if (strcmp(role_names[*role], name) == 0) return RH_OK;
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", role_names[*role]);
  }
  return refuse(at, "role", "'%s' is not one of%s", rh_quotable(name), names);
}

static int fits(const rh_ctype *type, json_int_t i) {
  uint64_t max = largest(type);
  if (i >= 0) return (uint64_t)i <= max;
  return rh_type_is_signed(type->type) && (uint64_t)(-(i + 1)) <= max;
}

static rh_status take_constant(const place *at, rh_foreign_value *to) {
  const json_t *value = json_object_get(at->json, "value");
  int is_pointer = to->type->type == 0, is_float = rh_type_is_float(to->type->type);
  int is_right = is_pointer ? json_is_null(value)
                 : is_float ? json_is_number(value)
                            : json_is_integer(value) && fits(to->type, json_integer_value(value));
  if (!is_right)
    return refuse(at, "value", "expected %s of the type %s",
                  is_pointer ? "null"
                  : is_float ? "a number"
                             : "a whole number",
                  to->type->name);
  rh_number number = {.u = (uint64_t)json_integer_value(value)};
  if (is_float) number.f = json_number_value(value);
  if (!is_pointer) rh_element_store(to->type->type, &number, &to->constant);
  return RH_OK;
}

/* A result is the operator's value or, with an index, an integer. */
static rh_status take_result(const place *at, const rh_foreign_value *value, rh_foreign *foreign) {
  int indexed = (rh_op_flags(foreign->op, foreign->type) & RH_OP_INDEXED) != 0;
  int wants_float = !indexed && rh_type_is_float(foreign->type);
  foreign->result_type = value->type;
  if (wants_float ? !rh_type_is_float(value->type->type) : !is_integer(value->type))
    return refuse(at, "type", "the result of %s of %s is %s, not %s", rh_op_name(foreign->op),
                  rh_type_name(foreign->type),
                  indexed       ? "an index"
                  : wants_float ? "f32 or f64"
                                : "an integer",
                  value->type->name);
  if (!indexed && json_object_get(at->json, "base"))
    return refuse(at, "base", "is for indices, and %s gives none", rh_op_name(foreign->op));
  return take_integer(at, "base", 0, 1, 0, &foreign->base);
}

static rh_status take_value(const place *at, uint32_t roles, rh_foreign_value *value,
                            rh_foreign *foreign) {
  const char *type;
  RH_TRY(take_role(at, roles, &value->role));
  if (value->role != RH_ROLE_CONSTANT && foreign->roles & 1u << value->role)
    return refuse(at, "role", "there is a '%s' already", role_names[value->role]);
  foreign->roles |= 1u << value->role;
  int is_result = value->role == RH_ROLE_RESULT, is_constant = value->role == RH_ROLE_CONSTANT;
  const char *const keys[] = {"role", "type", is_result ? "base" : "value"};
  RH_TRY(check_keys(at, keys, value->role == RH_ROLE_DATA ? 1 : is_result || is_constant ? 3 : 2));
  if (value->role == RH_ROLE_DATA) {
    value->type = find_ctype("pointer");
    return RH_OK;
  }
  RH_TRY(take_text(at, "type", NULL, 0, &type));
  value->type = find_ctype(type);
  if (!value->type)
    return refuse(at, "type", "'%s' is not one of%s", rh_quotable(type), type_names);
  if (is_result) return take_result(at, value, foreign);
  if (is_constant) return take_constant(at, value);
  if (is_integer(value->type)) return RH_OK;
  return refuse(at, "type", "%s is an integer, not %s", role_names[value->role], value->type->name);
}

static rh_status take_arguments(const place *whole, rh_foreign *foreign) {
  const json_t *array = json_object_get(whole->json, "arguments");
  size_t n = json_array_size(array);
  if (!json_is_array(array) || n > RH_FOREIGN_MOST_ARGUMENTS)
    return refuse(whole, "arguments", "expected a list of at most %d objects",
                  RH_FOREIGN_MOST_ARGUMENTS);
  for (size_t k = 0; k < n; k++) {
    place one = {.json = json_array_get(array, k), .error = whole->error};
    snprintf(one.where, sizeof one.where, "arguments[%zu].", k);
    RH_TRY(take_value(&one, OF_ARGUMENTS, &foreign->arguments[k], foreign));
    foreign->n_arguments++;
  }
  return RH_OK;
}

/* ---- The whole description ---- */

/* The types of the count and the index limit the number of elements per call. */
static rh_status take_most(const place *whole, rh_foreign *foreign) {
  uint64_t most = UINT64_MAX;
  for (uint32_t k = 0; k < foreign->n_arguments; k++)
    if (foreign->arguments[k].role == RH_ROLE_N) most = largest(foreign->arguments[k].type);
  if (rh_op_flags(foreign->op, foreign->type) & RH_OP_INDEXED) {
    uint64_t last = largest(foreign->result_type) - foreign->base;
    if (last < most) most = last + 1; /* then the last element has the largest index */
  }
  return take_integer(whole, "max_n", 1, most, most, &foreign->max_n);
}

static rh_status take_problem(const place *whole, rh_foreign *foreign) {
  const char *op, *type;
  RH_TRY(take_text(whole, "operator", NULL, 0, &op));
  RH_TRY(take_text(whole, "type", NULL, 0, &type));
  foreign->op = rh_op_from_name(op);
  foreign->type = rh_type_from_name(type);
  if (!foreign->op)
    return refuse(whole, "operator", "'%s' is not one of %s", rh_quotable(op), rh_op_names());
  if (!foreign->type || foreign->type == RH_TYPE_f16)
    return refuse(whole, "type", "'%s' is not one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64",
                  rh_quotable(type));
  if (rh_op_is_defined(foreign->op, foreign->type)) return RH_OK;
  return refuse(whole, "operator", "%s is defined on %s, not on %s", op, rh_op_domain(foreign->op),
                type);
}

static rh_status take_words(const place *whole, const char *path, rh_foreign *foreign) {
  const char *base = rh_path_name(path);
  size_t length = strlen(base), suffix = strlen(RH_FOREIGN_SUFFIX);
  snprintf(foreign->stem, sizeof foreign->stem, "%.*s",
           (int)(rh_is_foreign(base) ? length - suffix : length), base);
  RH_TRY(take_text(whole, "name", foreign->stem, 0, &foreign->name));
  RH_TRY(take_text(whole, "summary", NULL, 0, &foreign->summary));
  RH_TRY(take_text(whole, "about", "", 1, &foreign->about));
  RH_TRY(take_text(whole, "version", "unknown", 0, &foreign->version));
  RH_TRY(take_text(whole, "author", "unknown", 0, &foreign->author));
  RH_TRY(take_text(whole, "license", "unknown", 0, &foreign->license));
  RH_TRY(take_text(whole, "library", NULL, 0, &foreign->library));
  RH_TRY(take_text(whole, "symbol", NULL, 0, &foreign->symbol));
  if (rh_strategy_name_is_valid(foreign->name)) return RH_OK;
  return refuse(whole, "name", "'%s' is not of the form [a-z0-9][a-z0-9_-]{0,62}",
                rh_quotable(foreign->name));
}

static rh_status take_all(const place *whole, const char *path, rh_foreign *foreign) {
  static const char *const keys[] = {"name",     "summary",     "about",        "version",
                                     "author",   "license",     "library",      "symbol",
                                     "operator", "type",        "returns",      "arguments",
                                     "max_n",    "keeps_order", "reproducible", "score"};
  static const uint32_t needed[] = {RH_ROLE_DATA, RH_ROLE_N, RH_ROLE_RESULT};
  const place returns = {json_object_get(whole->json, "returns"), "returns.", whole->error};
  uint64_t score;
  RH_TRY(check_keys(whole, keys, sizeof keys / sizeof *keys));
  RH_TRY(take_words(whole, path, foreign));
  RH_TRY(take_problem(whole, foreign));
  RH_TRY(take_arguments(whole, foreign));
  if (returns.json) RH_TRY(take_value(&returns, OF_RETURNS, &foreign->returns, foreign));
  for (int k = 0; k < 3; k++)
    if (!(foreign->roles & 1u << needed[k]))
      return refuse(whole, "arguments", "none of them has the role '%s'%s", role_names[needed[k]],
                    needed[k] == RH_ROLE_RESULT ? ", and returns neither" : "");
  RH_TRY(take_most(whole, foreign));
  RH_TRY(take_flag(whole, "keeps_order", 0, &foreign->keeps_order));
  RH_TRY(take_flag(whole, "reproducible", 1, &foreign->reproducible));
  RH_TRY(take_integer(whole, "score", 0, 1000, 1, &score));
  foreign->score = (int32_t)score;
  return RH_OK;
}

rh_status rh_foreign_read(rh_foreign *foreign, const char *path, const char *text, size_t length,
                          rh_error *error) {
  json_error_t said;
  memset(foreign, 0, sizeof *foreign);
  foreign->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &said);
  if (!foreign->json) {
    rh_make_plain(said.text); /* which quotes the offending text */
    return rh_fail(error, RH_E_PLUGIN, "is not JSON: line %d, column %d: %s", said.line,
                   said.column, said.text);
  }
  place whole = {.json = foreign->json, .error = error};
  rh_status status = json_is_object(foreign->json)
                         ? take_all(&whole, path, foreign)
                         : rh_fail(error, RH_E_PLUGIN, "is JSON, but not an object");
  if (status != RH_OK) rh_foreign_finish(foreign);
  return status;
}

char *rh_foreign_library(const rh_foreign *foreign, const char *path) {
  return strchr(foreign->library, '/') ? rh_path_beside(path, foreign->library) : NULL;
}

void rh_foreign_finish(rh_foreign *foreign) {
  json_decref(foreign->json);
  memset(foreign, 0, sizeof *foreign);
}
