/* Foreign functions: the reader of descriptions, calls of many signatures, and errors.
 * FOREIGN_LIBRARY is the library of tests/foreign. */
#include <sys/stat.h>

#include "../../host/core/run/run.h"
#include "../../host/operators/foreign/foreign.h"
#include "files_support.h"

/* ---- The reader ------------------------------------------------------------------------------ */

#define PLAIN_OF(more, op, type, returns)                                                          \
  "{" more "\"name\":\"f\",\"summary\":\"s\",\"library\":\"l\",\"symbol\":\"plain_sum\","          \
  "\"operator\":\"" op "\",\"type\":\"" type "\",\"arguments\":[{\"role\":\"data\"},"              \
  "{\"role\":\"n\",\"type\":\"size_t\"}],\"returns\":{\"role\":\"result\"," returns "}}"
#define PLAIN PLAIN_OF("", "sum", "f32", "\"type\":\"f32\"")

/* `text` with the first `what` replaced. */
static char *replaced(const char *text, const char *what, const char *by) {
  const char *at = strstr(text, what);
  char *new;
  ck_assert_msg(at != NULL, "no %s", what);
  int length = asprintf(&new, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
  ck_assert_int_ge(length, 0);
  return new;
}

static void assert_refused(const char *text, size_t length, const char *message) {
  rh_foreign foreign;
  strcpy(error.message, "nothing");
  rh_status status = rh_foreign_read(&foreign, "/a/f.foreign.json", text, length, &error);
  ck_assert_msg(status == RH_E_PLUGIN, "%.300s\nis taken, not refused by: %s", text, message);
  ck_assert_msg(strcmp(error.message, message) == 0, "%.300s\nsays   %s\nand not %s", text,
                error.message, message);
  ck_assert_ptr_null(foreign.json);
}

typedef struct bad {
  const char *what, *by, *message;
} bad;

#define N       "{\"role\":\"n\",\"type\":\"size_t\"}"
#define DATA    "{\"role\":\"data\"}"
#define RETURNS "{\"role\":\"result\",\"type\":\"f32\"}"
#define ROLES   "n data stride result constant"
#define CTYPES                                                                                     \
  "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 int unsigned long "                                       \
  "size_t float double pointer"
#define CONSTANT(more) DATA ",{\"role\":\"constant\"," more "}"

static const bad keys[] = {
    {"\"name\"", "\"nmae\"", "nmae: is unknown here; did you mean 'name'?"},
    {"\"name\"", "\"\\n\\u0007\"", "...: is unknown here"},
    {"\"summary\":\"s\",", "", "summary: is missing"},
    {"\"s\"", "\"\"", "summary: is empty"},
    {"\"s\"", "1", "summary: is not a string"},
    {"\"s\"", "\"a\\nb\"", "summary: has control characters"},
    {"\"f\"", "\"F\"", "name: 'F' is not of the form [a-z0-9][a-z0-9_-]{0,62}"},
    {"\"f\"", "null", "name: is not a string"},
    {"\"library\":\"l\",", "", "library: is missing"},
    {"\"symbol\":\"plain_sum\",", "", "symbol: is missing"},
    {"\"operator\":\"sum\",", "", "operator: is missing"},
    {"\"sum\"", "\"summ\"",
     "operator: 'summ' is not one of sum prod min max argmin argmax and or xor affine asum amax "
     "argamax"},
    {"\"type\":\"f32\"", "\"type\":\"f31\"",
     "type: 'f31' is not one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64"},
    {"\"type\":\"f32\"", "\"type\":\"f16\"",
     "type: 'f16' is not one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64"},
    {"\"sum\"", "\"xor\"", "operator: xor is defined on integers, not on f32"},
    {"{\"name\"", "{\"max_n\":0,\"name\"",
     "max_n: expected a whole number from 1 to 18446744073709551615"},
    {"{\"name\"", "{\"max_n\":1.0,\"name\"",
     "max_n: expected a whole number from 1 to 18446744073709551615"},
    {"{\"name\"", "{\"score\":1001,\"name\"", "score: expected a whole number from 0 to 1000"},
    {"{\"name\"", "{\"score\":-1,\"name\"", "score: expected a whole number from 0 to 1000"},
    {"{\"name\"", "{\"score\":\"1\",\"name\"", "score: expected a whole number from 0 to 1000"},
    {"{\"name\"", "{\"keeps_order\":1,\"name\"", "keeps_order: expected true or false"},
    {"{\"name\"", "{\"reproducible\":\"no\",\"name\"", "reproducible: expected true or false"},
};

#define FOUR    "," DATA "," DATA "," DATA "," DATA
#define SIXTEEN FOUR FOUR FOUR FOUR

static const bad signatures[] = {
    {"\"arguments\":[" DATA "," N "],", "", "arguments: expected a list of at most 16 objects"},
    {"[" DATA "," N "]", "{}", "arguments: expected a list of at most 16 objects"},
    {"[" DATA, "[" DATA SIXTEEN, "arguments: expected a list of at most 16 objects"},
    {"[" DATA "," N "]", "[]", "arguments: none of them has the role 'data'"},
    {DATA ",", "", "arguments: none of them has the role 'data'"},
    {"," N, "", "arguments: none of them has the role 'n'"},
    {DATA, "1", "arguments[0].role: is missing"},
    {DATA, "{}", "arguments[0].role: is missing"},
    {DATA, "{\"role\":1}", "arguments[0].role: is not a string"},
    {N, "{\"role\":\"m\"}", "arguments[1].role: 'm' is not one of " ROLES},
    {N, "{\"role\":\"status\",\"type\":\"int\"}",
     "arguments[1].role: 'status' is not one of " ROLES},
    {N, N "," DATA, "arguments[2].role: there is a 'data' already"},
    {N, N "," N, "arguments[2].role: there is a 'n' already"},
    {DATA, "{\"role\":\"data\",\"type\":\"f32\"}", "arguments[0].type: is unknown here"},
    {N, "{\"role\":\"n\"}", "arguments[1].type: is missing"},
    {N, "{\"role\":\"n\",\"type\":\"u33\"}", "arguments[1].type: 'u33' is not one of " CTYPES},
    {N, "{\"role\":\"n\",\"type\":\"f32\"}", "arguments[1].type: n is an integer, not f32"},
    {N, "{\"role\":\"n\",\"type\":\"pointer\"}", "arguments[1].type: n is an integer, not pointer"},
    {N, "{\"role\":\"n\",\"tpye\":\"u32\"}",
     "arguments[1].tpye: is unknown here; did you mean 'type'?"},
    {DATA, CONSTANT("\"type\":\"int\""),
     "arguments[1].value: expected a whole number of the type int"},
    {DATA, CONSTANT("\"value\":1"), "arguments[1].type: is missing"},
    {DATA, CONSTANT("\"type\":\"int\",\"value\":0.5"),
     "arguments[1].value: expected a whole number of the type int"},
    {DATA, CONSTANT("\"type\":\"f32\",\"value\":\"1\""),
     "arguments[1].value: expected a number of the type f32"},
    {DATA, CONSTANT("\"type\":\"i8\",\"value\":128"),
     "arguments[1].value: expected a whole number of the type i8"},
    {DATA, CONSTANT("\"type\":\"i8\",\"value\":-129"),
     "arguments[1].value: expected a whole number of the type i8"},
    {DATA, CONSTANT("\"type\":\"u32\",\"value\":-1"),
     "arguments[1].value: expected a whole number of the type u32"},
    {DATA, CONSTANT("\"type\":\"pointer\",\"value\":1"),
     "arguments[1].value: expected null of the type pointer"},
    {RETURNS, "1", "returns.role: is missing"},
    {RETURNS, "{\"role\":\"n\",\"type\":\"int\"}", "returns.role: 'n' is not one of result status"},
    {RETURNS, "{\"role\":\"status\",\"type\":\"int\"}",
     "arguments: none of them has the role 'result', and returns neither"},
    {",\"returns\":" RETURNS, "",
     "arguments: none of them has the role 'result', and returns neither"},
    {DATA, DATA "," RETURNS, "returns.role: there is a 'result' already"},
    {RETURNS, "{\"role\":\"result\",\"type\":\"int\"}",
     "returns.type: the result of sum of f32 is f32 or f64, not int"},
    {RETURNS, "{\"role\":\"result\",\"type\":\"pointer\"}",
     "returns.type: the result of sum of f32 is f32 or f64, not pointer"},
    {RETURNS, "{\"role\":\"result\",\"type\":\"f32\",\"base\":1}",
     "returns.base: is for indices, and sum gives none"},
};

static void assert_all_refused(const bad *table, size_t n) {
  for (size_t k = 0; k < n; k++) {
    char *text = replaced(PLAIN, table[k].what, table[k].by);
    assert_refused(text, strlen(text), table[k].message);
    free(text);
  }
}

TEST(bad_keys) { assert_all_refused(keys, sizeof keys / sizeof *keys); }

TEST(bad_signatures) { assert_all_refused(signatures, sizeof signatures / sizeof *signatures); }

/* A byte holds the indices of 255 elements counted from 1, and of 256 counted from 0. */
TEST(bad_results) {
  static const char *const texts[][2] = {
      {PLAIN_OF("", "argmax", "f32", "\"type\":\"f32\""),
       "returns.type: the result of argmax of f32 is an index, not f32"},
      {PLAIN_OF("", "argmax", "f32", "\"type\":\"u8\",\"base\":2"),
       "returns.base: expected a whole number from 0 to 1"},
      {PLAIN_OF("\"max_n\":256,", "argmax", "f32", "\"type\":\"u8\",\"base\":1"),
       "max_n: expected a whole number from 1 to 255"},
      {PLAIN_OF("\"max_n\":257,", "argmax", "f32", "\"type\":\"u8\""),
       "max_n: expected a whole number from 1 to 256"},
      {PLAIN_OF("", "sum", "i32", "\"type\":\"f32\""),
       "returns.type: the result of sum of i32 is an integer, not f32"},
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    assert_refused(texts[k][0], strlen(texts[k][0]), texts[k][1]);
}

TEST(no_json) {
  static const bad texts[] = {
      {"", NULL, "is not JSON: line 1, column 0: '[' or '{' expected near end of file"},
      {"\n\n  {\"name\" 1}", NULL, "is not JSON: line 3, column 11: ':' expected near '1'"},
      {"{\"name\":\"\x07\"}", NULL,
       "is not JSON: line 1, column 9: control character 0x7 near '\"'"},
      {"{\"type\":1,\"type\":1}", NULL,
       "is not JSON: line 1, column 16: duplicate object key near '\"type\"'"},
      {"{} {}", NULL, "is not JSON: line 1, column 4: end of file expected near '{'"},
      {"[]", NULL, "is JSON, but not an object"},
  };
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    assert_refused(texts[k].what, strlen(texts[k].what), texts[k].message);
  /* Truncated anywhere: rejected, and never read past the end (under valgrind or a sanitizer). */
  for (size_t length = 0; length < strlen(PLAIN); length++) {
    rh_foreign foreign;
    char *text = malloc(length + 1);
    memcpy(text, PLAIN, length);
    ck_assert_int_eq(rh_foreign_read(&foreign, "f", text, length, &error), RH_E_PLUGIN);
    ck_assert(strncmp(error.message, "is not JSON: line 1, column ", 27) == 0);
    free(text);
  }
}

TEST(defaults) {
  rh_foreign foreign;
  char *text = replaced(PLAIN, "\"name\":\"f\",", "");
  must(rh_foreign_read(&foreign, "/a/some_name.foreign.json", text, strlen(text), &error));
  ck_assert_str_eq(foreign.name, "some_name");
  ck_assert(foreign.op == RH_OP_sum && foreign.type == RH_TYPE_f32 && foreign.n_arguments == 2);
  ck_assert(foreign.max_n == UINT64_MAX && foreign.score == 1 && foreign.reproducible);
  ck_assert(!foreign.keeps_order && foreign.returns.role == RH_ROLE_RESULT);
  rh_foreign_finish(&foreign);
  free(text);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A description of a function of the test's library; `more`: keys. */
static rh_status open_description(const char *symbol, const char *op, const char *type,
                                  const char *more, const rh_plugin **plugin, rh_error *why) {
  char *text;
  int length = asprintf(&text,
                        "{\"summary\":\"s\",\"library\":\"%s\",\"symbol\":\"%s\","
                        "\"operator\":\"%s\",\"type\":\"%s\",%s}",
                        FOREIGN_LIBRARY, symbol, op, type, more);
  ck_assert_int_gt(length, 0);
  const char *path = write_file("f.foreign.json", text, (size_t)length);
  free(text);
  return rh_plugin_open(path, rh_foreign_open, plugin, why);
}

static const rh_strategy *strategy_of(const char *symbol, const char *op, const char *type,
                                      const char *more) {
  const rh_plugin *plugin = NULL;
  strcpy(error.message, "?");
  rh_status status = open_description(symbol, op, type, more, &plugin, &error);
  ck_assert_msg(status == RH_OK, "%s: %s", symbol, error.message);
  ck_assert_uint_eq(plugin->n_strategies, 1);
  return plugin->strategies[0];
}

/* As the host does it: query, setup, run, teardown. */
static rh_status reduce(const rh_strategy *strategy, const char *op, const char *type,
                        const void *data, uint64_t first, uint64_t n, rh_result *result,
                        rh_error *why) {
  rh_instance_spec spec = {.strategy = strategy,
                           .op = rh_operator_builtin(rh_op_from_name(op), rh_type_from_name(type)),
                           .max_n = n};
  rh_instance *instance;
  rh_data where = {.host = (void *)(uintptr_t)data, .first = first};
  _Alignas(16) unsigned char value[16];
  rh_answer answer;
  rh_status status = rh_instance_query(&spec, NULL, &answer, why);
  if (status == RH_OK) status = rh_instance_create(&instance, &spec, &answer, why);
  if (status != RH_OK) return status;
  status = rh_instance_run(instance, &where, n, why);
  if (status == RH_OK) status = rh_instance_value(instance, value, why);
  if (status == RH_OK) rh_op_result(spec.op->base, spec.op->type, value, result);
  rh_instance_destroy(instance);
  return status;
}

static rh_result result_of(const rh_strategy *strategy, const char *op, const char *type,
                           const void *data, uint64_t first, uint64_t n) {
  rh_result result = {0};
  strcpy(error.message, "?");
  must(reduce(strategy, op, type, data, first, n, &result, &error));
  return result;
}

#define ARGUMENTS(...) "\"arguments\":[" #__VA_ARGS__ "]"
#define N_THEN(type)   "{\"role\":\"n\",\"type\":\"" type "\"}"
#define GIVES(type)    ",\"returns\":{\"role\":\"result\",\"type\":\"" type "\"}"
#define DATA_N(type)   "\"arguments\":[" DATA "," N_THEN(type) "]"

TEST(floats_by_value) {
  float x[1000], sum = 0;
  for (int k = 0; k < 1000; k++) {
    x[k] = (float)(k % 37) - 11.5f;
    sum += k < 3 ? 0 : x[k];
  }
  const rh_strategy *plain = strategy_of("plain_sum", "sum", "f32", DATA_N("size_t") GIVES("f32"));
  ck_assert_str_eq(plain->name, "f");
  ck_assert(plain->device_kinds == RH_DEVICE_HOST && plain->determinism == RH_BITS_SAME_RUN);
  ck_assert(result_of(plain, "sum", "f32", x, 3, 997).value.f == (double)sum);
  /* No call for no elements: plain_sum would return +0, and the identity is -0. */
  rh_result none = result_of(plain, "sum", "f32", x, 0, 0);
  ck_assert(none.value.f == 0 && signbit(none.value.f));
  const rh_strategy *wide = strategy_of("wide_sum", "sum", "f32", DATA_N("u64") GIVES("double"));
  ck_assert(result_of(wide, "sum", "f32", x, 3, 997).value.f == (double)sum);
}

TEST(integers_by_value) {
  static const int16_t shorts[] = {-30000, -30000, -30000, 5};
  static const int8_t bytes[] = {5, -128, 127, 0};
  static const uint8_t bits[] = {0x81, 0x42, 0x80};
  const rh_strategy *s = strategy_of("sum_of_i16", "sum", "i16", DATA_N("u32") GIVES("i64"));
  ck_assert_int_eq(result_of(s, "sum", "i16", shorts, 0, 4).value.i, -89995);
  s = strategy_of("least_of_i8", "min", "i8", DATA_N("int") GIVES("i8"));
  ck_assert_int_eq(result_of(s, "min", "i8", bytes, 0, 4).value.i, -128);
  s = strategy_of("xor_of_u8", "xor", "u8", DATA_N("size_t") GIVES("u8"));
  ck_assert_uint_eq(result_of(s, "xor", "u8", bits, 0, 3).value.u, 0x43);
  s = strategy_of("largest_magnitude_of_i8", "amax", "i8", DATA_N("size_t") GIVES("u8"));
  rh_result largest = result_of(s, "amax", "i8", bytes, 0, 4);
  ck_assert(largest.type == RH_TYPE_u8 && largest.value.u == 128);
}

TEST(by_pointer) {
  static const double x[] = {1, -2, 3, -4};
  static const int32_t y[] = {3, 9, -5}, z[] = {-1, 2};
  rh_result result;
  const rh_strategy *s = strategy_of("asum_into", "asum", "f64",
                                     ARGUMENTS({"role" : "n", "type" : "int"}, {"role" : "data"},
                                               {"role" : "stride", "type" : "int"},
                                               {"role" : "result", "type" : "f64"}));
  ck_assert(result_of(s, "asum", "f64", x, 1, 3).value.f == 9);
  s = strategy_of("largest_into", "max", "i32",
                  ARGUMENTS({"role" : "n", "type" : "u32"}, {"role" : "data"},
                            {"role" : "result", "type" : "i32"}) //
                  ",\"returns\":{\"role\":\"status\",\"type\":\"int\"}");
  ck_assert_int_eq(result_of(s, "max", "i32", y, 0, 3).value.i, 9);
  ck_assert_int_lt(reduce(s, "max", "i32", z, 0, 2, &result, &error), 0);
  assert_says(error.message, "largest_into returns status 7");
}

TEST(constants) {
  static const double x[] = {1, 2, 4};
  const rh_strategy *s = strategy_of(
      "with_constants", "sum", "f64",
      ARGUMENTS({"role" : "constant", "type" : "i8", "value" : -1},
                {"role" : "constant", "type" : "double", "value" : 0.5}, {"role" : "data"},
                {"role" : "constant", "type" : "pointer", "value" : null},
                {"role" : "n", "type" : "long"},
                {"role" : "constant", "type" : "u16", "value" : 65535},
                {"role" : "constant", "type" : "f32", "value" : 0.25},
                {"role" : "constant", "type" : "u64", "value" : 1}) GIVES("f64"));
  ck_assert(result_of(s, "sum", "f64", x, 0, 3).value.f == 7);
}

/* Inputs longer than the count's type can express take several calls. */
TEST(splitting) {
  int32_t x[100], sum = 0;
  float y[1000] = {0};
  for (int k = 0; k < 100; k++) {
    x[k] = k * k - 1000;
    sum += x[k];
  }
  const rh_strategy *s =
      strategy_of("sum_of_at_most_7", "sum", "i32", "\"max_n\":7," DATA_N("i32") GIVES("i32"));
  for (uint64_t n = 1; n <= 100; n++) {
    int64_t right = 0;
    for (uint64_t k = 0; k < n; k++) right += x[k];
    ck_assert_int_eq(result_of(s, "sum", "i32", x, 0, n).value.i, right);
  }
  ck_assert_int_eq(result_of(s, "sum", "i32", x, 0, 100).value.i, sum);
  /* 255 at a time; indices count from the first element. */
  s = strategy_of("index_from_1", "argmax", "f32",
                  DATA_N("u8") ",\"returns\":{\"role\":\"result\",\"type\":\"u8\",\"base\":1}");
  for (uint64_t at = 0; at < 990; at += 53) {
    y[10 + at] = 2;
    y[999] = 2;
    rh_result result = result_of(s, "argmax", "f32", y, 10, 990);
    ck_assert(result.indexed && result.index == at && result.value.f == 2);
    y[10 + at] = 1;
  }
}

TEST(order) {
  uint64_t x[50];
  for (uint64_t k = 0; k < 50; k++) x[k] = (2 * k + 3) | (k * 7919) << 32;
  const rh_op *op = rh_op_find(RH_OP_affine, RH_TYPE_u64);
  uint64_t right = 1;
  op->fold(&right, x, 0, 50);
  const rh_strategy *s =
      strategy_of("compose_all", "affine", "u64",
                  "\"keeps_order\":true,\"max_n\":7," DATA_N("size_t") GIVES("u64"));
  ck_assert_uint_eq(result_of(s, "affine", "u64", x, 0, 50).value.u, right);
  s = strategy_of("compose_all", "affine", "u64", DATA_N("size_t") GIVES("u64"));
  rh_result result;
  ck_assert_int_eq(reduce(s, "affine", "u64", x, 0, 50, &result, &error), RH_DECLINED);
}

TEST(declining) {
  const rh_strategy *s = strategy_of("plain_sum", "sum", "f32", DATA_N("size_t") GIVES("f32"));
  static const rh_device host = {
      .struct_size = sizeof host, .kind = RH_DEVICE_HOST, .name = "host"};
  rh_problem problem = {.struct_size = sizeof problem, .device = &host, .max_n = 10};
  rh_answer answer;
  problem.op = rh_op_find(RH_OP_sum, problem.type = RH_TYPE_f64);
  ck_assert_int_eq(rh_strategy_query(s, &problem, NULL, &answer, &error), RH_DECLINED);
  ck_assert_uint_eq(answer.why, RH_WHY_TYPE);
  ck_assert_str_eq(answer.reason, "f serves sum of f32 only");
  problem.op = rh_op_find(RH_OP_max, problem.type = RH_TYPE_f32);
  ck_assert_int_eq(rh_strategy_query(s, &problem, NULL, &answer, &error), RH_DECLINED);
  ck_assert_uint_eq(answer.why, RH_WHY_OP);
  problem.op = rh_op_find(RH_OP_sum, RH_TYPE_f32);
  must(rh_strategy_query(s, &problem, NULL, &answer, &error));
  ck_assert(answer.finishes_on_host && answer.launches == 0 && answer.depth == 0);
}

/* ---- What is refused when it is opened ------------------------------------------------------- */

static void assert_not_opened(const char *symbol, const char *op, const char *more,
                              const char *message) {
  const rh_plugin *plugin;
  strcpy(error.message, "nothing");
  rh_status status = open_description(symbol, op, "f32", more, &plugin, &error);
  ck_assert_msg(status == RH_E_PLUGIN && strstr(error.message, message), "%s: %s", symbol,
                error.message);
}

TEST(wrong_functions) {
  static const char index[] = DATA_N("size_t") ",\"returns\":{\"role\":\"result\",\"type\":\"i64\","
                                               "\"base\":1}";
  assert_not_opened("no_such", "sum", DATA_N("size_t") GIVES("f32"), " has no function 'no_such'");
  assert_not_opened("no_function", "sum", DATA_N("size_t") GIVES("f32"),
                    "'no_function' is data, not a function");
  assert_not_opened(
      "index_from_0", "argmax", index,
      "tried on 4 ones, index_from_0 gives the index 0 of 4 elements, counted from 1");
  assert_not_opened("signed_magnitude", "amax", DATA_N("size_t") GIVES("f32"),
                    "returned a negative number, which is not a magnitude");
  assert_not_opened("writes_nothing", "argmax",
                    "\"arguments\":[" N "," DATA ",{\"role\":\"result\",\"type\":\"i32\"}]",
                    "writes_nothing gives the index -1 of 4 elements");
}

static void assert_file_refused(rh_status status, const char *message) {
  const rh_plugin *plugin;
  ck_assert_int_eq(rh_plugin_open(in_dir("f.foreign.json"), rh_foreign_open, &plugin, &error),
                   status);
  ck_assert_str_eq(error.message, message);
}

TEST(wrong_files) {
  char *text = replaced(PLAIN, "\"l\"", "\"libno_such_library.so.7\"");
  write_file("f.foreign.json", text, strlen(text));
  assert_file_refused(RH_DECLINED, "needs libno_such_library.so.7, which was not found");
  free(text);
  text = replaced(PLAIN, "\"l\"", "\"./f.foreign.json\"");
  write_file("f.foreign.json", text, strlen(text));
  assert_file_refused(RH_E_PLUGIN,
                      "its library ./f.foreign.json: is not a shared object (it looks like text)");
  free(text);
  static char blanks[RH_FOREIGN_MOST_BYTES + 1];
  memset(blanks, ' ', sizeof blanks);
  write_file("f.foreign.json", blanks, sizeof blanks);
  assert_file_refused(RH_E_PLUGIN, "has 65537 bytes; a description has at most 65536");
  const char *path = write_file("f.foreign.json", "{}\0{}", 5);
  assert_file_refused(RH_E_PLUGIN, "is not text: it has null bytes");
  unlink(path);
  assert_file_refused(RH_E_FILE, "cannot be opened: No such file or directory");
  ck_assert(mkfifo(path, 0600) == 0);
  assert_file_refused(RH_E_PLUGIN, "is not a regular file; expected a description");
  unlink(path);
}

/* The same file again is the same plugin; with another text it is a new one, and the first keeps
 * working. */
TEST(once) {
  const rh_strategy *first = strategy_of("plain_sum", "sum", "f32", DATA_N("size_t") GIVES("f32"));
  const rh_strategy *again = strategy_of("plain_sum", "sum", "f32", DATA_N("size_t") GIVES("f32"));
  const rh_strategy *other = strategy_of("wide_sum", "sum", "f32", DATA_N("size_t") GIVES("f64"));
  static const float x[] = {1, 2, 3};
  ck_assert_ptr_eq(first, again);
  ck_assert_ptr_ne(first, other);
  ck_assert(result_of(first, "sum", "f32", x, 0, 3).value.f == 6);
  ck_assert(result_of(other, "sum", "f32", x, 0, 3).value.f == 6);
}
