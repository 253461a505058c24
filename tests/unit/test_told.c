/* Operations as texts: what is written is what is read, and what differs is named. */
#include "custom_support.h"

static void compare(const rh_custom *a, const rh_custom *b) {
  uint64_t constants_a[RH_EXPR_MOST_SLOTS] = {0}, constants_b[RH_EXPR_MOST_SLOTS] = {0};
  char *prelude_a = a->face.calls->prelude(&a->face), *prelude_b = b->face.calls->prelude(&b->face);
  ck_assert_str_eq(a->name, b->name);
  ck_assert_str_eq(a->key, b->key);
  ck_assert_str_eq(prelude_a, prelude_b);
  ck_assert_uint_eq(a->face.hash, b->face.hash);
  ck_assert_uint_eq(a->op.flags, b->op.flags);
  ck_assert_uint_eq(a->op.constants_size, b->op.constants_size);
  a->face.calls->bind(&a->face, 7, constants_a);
  b->face.calls->bind(&b->face, 7, constants_b);
  ck_assert_mem_eq(constants_a, constants_b, sizeof constants_a);
  ck_assert_uint_eq(a->face.n_results, b->face.n_results);
  for (uint32_t k = 0; k < a->face.n_results; k++) ck_assert_str_eq(a->results[k], b->results[k]);
  free(prelude_a);
  free(prelude_b);
}

static void tell(rh_custom *self) {
  rh_custom *heard = NULL;
  const rh_operation operation = {.op = &self->face};
  rh_operation read;
  char *text = rh_operation_text(&operation, NULL);
  rh_status status = rh_operation_read(&read, &heard, text, &error);
  ck_assert_msg(status == RH_OK, "%s: %s", text, error.message);
  ck_assert_ptr_eq(read.op, &heard->face);
  compare(self, heard);
  rh_custom_destroy(heard);
  free(text);
  rh_custom_destroy(self);
}

TEST(those_that_come_along) {
  const char *text;
  for (size_t k = 0; (text = rh_library_text(k, NULL)); k++)
    tell(made_of(text, RH_TYPE_f32, NULL, 0));
}

TEST(constants_and_code) {
  const rh_let lets[] = {
      {"t", {1, (long double)0.1}}, {"k", {0, INT64_MIN}}, {"l", {0, UINT64_MAX}}};
  tell(made_of("{\"redhost\": \"operator/1\", \"name\": \"c\", \"operands\": [\"x\", \"y\"], "
               "\"op\": \"max\", \"map\": \"x*t + y*k*l\", "
               "\"constants\": {\"t\": 7, \"k\": 3, \"l\": 4, \"unread\": 5}}",
               RH_TYPE_f64, lets, 3));
  tell(made_of("{\"redhost\": \"operator/1\", \"name\": \"d\", \"operands\": [\"x\"], "
               "\"value\": {\"far\": \"f64\"}, \"source\": ["
               "\"rh_value rh_identity(void) { rh_value v = {-1}; return v; } /* #;- */\","
               "\"rh_value rh_load(rh_x x, ulong i) { rh_value v = {x}; return v; }\","
               "\"rh_value rh_combine(rh_value a, rh_value b) { return a; }\"]}",
               RH_TYPE_f32, NULL, 0));
}

/* Of values without a field's name, and without a map. */
TEST(one_that_is_typed) {
  const rh_definition definition = {.n_fields = 1,
                                    .flags = RH_OP_COMMUTATIVE,
                                    .fields = {{.identity = "-inf", .combine = "a > b ? a : b"}}};
  tell(made_over_x(&definition, RH_TYPE_f64));
}

TEST(built_in) {
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      const rh_operation operation = {
          .op = rh_operator_builtin(op, type), .accuracy = op % 2, .check = type % 3};
      rh_operation read;
      rh_custom *own;
      if (!operation.op) continue;
      char *text = rh_operation_text(&operation, json_pack("{s:i}", "more", 7));
      must(rh_operation_read(&read, &own, text, &error));
      ck_assert_ptr_eq(read.op, operation.op);
      ck_assert_uint_eq(read.accuracy, operation.accuracy);
      ck_assert_uint_eq(read.check, operation.check);
      ck_assert_ptr_null(own);
      free(text);
    }
}

/* Numbers that JSON has not, and two that are equal. */
TEST(values_of_constants) {
  static const double values[] = {0.0, -0.0, 0x1p-1074, 0.1, INFINITY, -INFINITY, NAN, -NAN};
  enum { N = sizeof values / sizeof *values };
  char *texts[N];
  for (size_t k = 0; k < N; k++) {
    const rh_let t = {"t", {1, (long double)values[k]}};
    rh_custom *self =
                  made_of("{\"redhost\": \"operator/1\", \"name\": \"c\", \"operands\": [\"x\"], "
                          "\"op\": \"sum\", \"map\": \"x*t\", \"constants\": {\"t\": 7.0}}",
                          RH_TYPE_f64, &t, 1),
              *heard;
    const rh_operation operation = {.op = &self->face};
    rh_operation read;
    texts[k] = rh_operation_text(&operation, NULL);
    must(rh_operation_read(&read, &heard, texts[k], &error));
    double is = (double)heard->lets[0].value.x;
    ck_assert_mem_eq(&is, &values[k], sizeof is);
    for (size_t j = 0; j < k; j++) ck_assert_str_ne(texts[j], texts[k]);
    rh_custom_destroy(heard);
    tell(self);
  }
  for (size_t k = 0; k < N; k++) free(texts[k]);
}

static const struct {
  const char *a, *b, *words;
} differences[] = {
    {"{\"name\":\"sum\"}", "{\"name\":\"max\"}", "operator is 'sum' and 'max'"},
    {"{\"constants\":{\"t\":2}}", "{\"constants\":{\"t\":3}}", "constant t is 2 and 3"},
    {"{\"constants\":{\"t\":2}}", "{\"constants\":{\"t\":2.0}}", "constant t is 2 and 2.0"},
    {"{\"constants\":{\"t\":2}}", "{\"constants\":{\"k\":1,\"t\":2}}", "constant k is none and 1"},
    {"{\"operator\":{\"map\":\"x\"}}", "{\"operator\":{\"map\":\"y\"}}", "map is 'x' and 'y'"},
    {"{\"operator\":{\"value\":[{\"load\":\"x\"}]}}",
     "{\"operator\":{\"value\":[{\"load\":\"y\"}]}}", "load of field is 'x' and 'y'"},
    {"{\"operator\":{\"finalize\":[{\"name\":\"mean\",\"text\":\"a\"}]}}", "{\"operator\":{}}",
     "finalizer is 'a' and none"},
    {"{\"check\":\"full\",\"version\":\"1\"}", "{\"check\":\"none\",\"version\":\"2\"}",
     "version is '1' and '2'"},
    {"{\"what_comes\":[1]}", "{\"what_comes\":[1,2]}", "what_comes 1 is none and 2"},
    {"{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{\"i\":1}}}}}}}}}",
     "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{\"i\":2}}}}}}}}}",
     " is another and another"},
    {"{\"map\":\"\\u001b[2J\"}", "{}", "map is '?[2J' and none"},
    {"{", "{}", "one is not as this redhost writes it"},
    {"{}", "{ }", "one is not as this redhost writes it"},
};

TEST_LOOP(what_differs, 0, sizeof differences / sizeof *differences) {
  rh_difference found;
  ck_assert(!rh_operation_differ(differences[_i].a, differences[_i].a, &found));
  ck_assert(rh_operation_differ(differences[_i].a, differences[_i].b, &found));
  assert_says(found.words, differences[_i].words);
}

/* Long texts are shown around what differs. */
TEST(long_texts) {
  char a[3000] = "{\"map\":\"", b[3000];
  rh_difference found;
  memset(a + 8, 'x', 2000);
  strcpy(a + 2008, "\"}");
  strcpy(b, a);
  b[1500] = 'y';
  ck_assert(rh_operation_differ(a, b, &found));
  ck_assert_msg(strstr(found.words, "xxy") && strstr(found.words, "..."), "%s", found.words);
}

/* Cut anywhere, or with any byte changed, it is refused; never a crash. */
TEST(what_is_no_operator) {
  const char *library = rh_library_text(0, NULL);
  rh_custom *self = made_of(library, RH_TYPE_f32, NULL, 0), *heard;
  const rh_operation operation = {.op = &self->face};
  rh_operation read;
  char *text = rh_operation_text(&operation, NULL);
  size_t length = strlen(text);
  for (size_t k = 0; k < length; k++) {
    char *copy = strdup(text), kept = copy[k];
    for (int byte = 1; byte < 256; byte += 13) {
      copy[k] = (char)byte;
      if (rh_operation_read(&read, &heard, copy, &error) == RH_OK) rh_custom_destroy(heard);
    }
    copy[k] = kept;
    copy[k] = 0;
    ck_assert_int_eq(rh_operation_read(&read, &heard, copy, &error), RH_E_FILE);
    ck_assert_ptr_null(heard);
    free(copy);
  }
  free(text);
  rh_custom_destroy(self);
}
