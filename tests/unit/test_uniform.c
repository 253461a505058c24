/* Which fields of a value kernels need not exchange, because values of as many elements have them
 * in common. */
#include "custom_support.h"

/* The fields that are exchanged: "" where the prelude says nothing, so that all of them are. */
static void varying(const char *json, const char *where, char *line, size_t size) {
  static const char define[] = "#define RH_VARYING_FIELDS(X)";
  FINISHED(rh_definition) definition = {0};
  must(rh_definition_read(&definition, json, strlen(json), "test", &error));
  definition.where = where;
  OWNED(rh_custom) self = made_over_x(&definition, RH_TYPE_f32);
  char *prelude = self->face.calls->prelude(&self->face);
  ck_assert_ptr_nonnull(prelude);
  const char *at = strstr(prelude, define);
  snprintf(line, size, "%.*s", at ? (int)strcspn(at + strlen(define), "\n") : 0,
           at ? at + strlen(define) : "");
  free(prelude);
}

#define OPERATOR(load, combine)                                                                    \
  "{\"redhost\": \"operator/1\", \"name\": \"test\", \"operands\": [\"x\"], "                      \
  "\"value\": {\"n\": \"f64\", \"m\": \"i32\", \"s\": \"f64\"}, \"load\": [" load                  \
  "], \"identity\": [\"0\", \"0\", \"0\"], \"combine\": [" combine                                 \
  "], \"claims\": [\"associative\", \"commutative\"]}"

static const struct {
  const char *json, *where, *varying;
} cases[] = {
    {OPERATOR("\"1\", \"2\", \"x\"", "\"a.n + b.n\", \"a.m + b.m\", \"a.s + b.s\""), NULL,
     " X(double, f2)"},
    /* By way of another field that all have in common, and of one that they have not. */
    {OPERATOR("\"1\", \"2\", \"x\"", "\"a.n + b.n\", \"a.n == b.n ? a.m : b.m\", \"a.s + b.s\""),
     NULL, " X(double, f2)"},
    {OPERATOR("\"1\", \"2\", \"x\"", "\"a.n + b.n\", \"a.s > 0 ? a.m : b.m\", \"a.s + b.s\""), NULL,
     " X(int, f1) X(double, f2)"},
    {OPERATOR("\"1\", \"2\", \"x\"", "\"b.m + a.n\", \"a.s > 0 ? a.m : b.m\", \"a.s + b.s\""), NULL,
     ""},
    /* What is loaded. */
    {OPERATOR("\"x > 0\", \"2\", \"x\"", "\"a.n + b.n\", \"a.m + b.m\", \"a.s + b.s\""), NULL,
     " X(double, f0) X(double, f2)"},
    {OPERATOR("\"i\", \"2\", \"x\"", "\"a.n + b.n\", \"a.m + b.m\", \"a.s + b.s\""), NULL,
     " X(double, f0) X(double, f2)"},
    {OPERATOR("\"x\", \"x\", \"x\"", "\"a.n + b.n\", \"a.m + b.m\", \"a.s + b.s\""), NULL, ""},
    /* A condition leaves elements out. */
    {OPERATOR("\"1\", \"2\", \"x\"", "\"a.n + b.n\", \"a.m + b.m\", \"a.s + b.s\""), "x > 0", ""},
};

TEST_LOOP(fields_in_common, 0, sizeof cases / sizeof *cases) {
  char line[256];
  varying(cases[_i].json, cases[_i].where, line, sizeof line);
  ck_assert_str_eq(line, cases[_i].varying);
}
