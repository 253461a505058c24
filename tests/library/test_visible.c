/* Results in memory that the host watches: visible_cl.c is preloaded, in each of its modes. */
#include <dlfcn.h>

#include "../../host/core/data/data.h"
#include "library.h"

enum { N = 10007, CALLS = 600, ABSENT = 0x7fd5a3e9 };

static unsigned finishes(void) {
  unsigned (*count)(void);
  void *found = dlsym(RTLD_DEFAULT, "visible_finishes");
  ck_assert_msg(found, "visible_cl.c is not preloaded");
  memcpy(&count, &found, sizeof count);
  return count();
}

static int is_early(void) { return strcmp(getenv("REDHOST_TEST_VISIBLE"), "early") == 0; }

static rh_prepared *onepass(const char *op, rh_type type) {
  rh_request spec = SIZED(rh_request, .strategy = "onepass", .op = op, .type = type, .n = N);
  return prepare(redhost, &spec);
}

static rh_result run(rh_prepared *prepared, const void *data, uint64_t n) {
  rh_result result = {.struct_size = sizeof result};
  must(rh_prepared_run(prepared, data, n, &result, &error));
  return result;
}

/* Values of 4, 8 and 16 bytes, and of 16 with and without padding. */
static const struct {
  const char *op;
  rh_type type;
} problems[] = {{"min", RH_TYPE_i32},    {"sum", RH_TYPE_u32},   {"argmin", RH_TYPE_i32},
                {"argmax", RH_TYPE_f64}, {"argmin", RH_TYPE_u8}, {"prod", RH_TYPE_f32},
                {"prod", RH_TYPE_f64},   {"max", RH_TYPE_f32}};

CASES(calls, .set_up = set_up, .tear_down = tear_down)

/* Calls in turns over parts of the data, so that a result of the call before is a wrong one. */
TEST_LOOP(test_answers, 0, sizeof problems / sizeof *problems) {
  FINISHED(rh_array) array = {0};
  const char *kind = strcmp(problems[_i].op, "prod") == 0 ? "swing" : "hash";
  ck_assert(rh_array_generate(&array, kind, 7, problems[_i].type, N, NULL, &error) == RH_OK);
  uint32_t size = rh_type_size(problems[_i].type);
  rh_result right[2];
  for (int k = 0; k < 2; k++)
    right[k] = expected(problems[_i].op, problems[_i].type,
                        (const char *)rh_array_data(&array) + 977u * size * (unsigned)k, N / 3);
  OWNED(rh_prepared) prepared = onepass(problems[_i].op, problems[_i].type);
  unsigned before = finishes();
  for (unsigned k = 0; k < CALLS; k++) {
    rh_result result =
        run(prepared, (const char *)rh_array_data(&array) + 977u * size * (k % 2), N / 3);
    ck_assert_msg(result.value.u == right[k % 2].value.u && result.index == right[k % 2].index,
                  "call %u: %llx at %llu", k, (unsigned long long)result.value.u,
                  (unsigned long long)result.index);
  }
  unsigned waits = finishes() - before;
  if (is_early()) ck_assert_uint_lt(waits, CALLS); /* some wait in vain on a busy machine */
  else ck_assert_uint_ge(waits, strcmp(getenv("REDHOST_TEST_VISIBLE"), "late") == 0 ? CALLS : 0);
}

/* A result that looks like one that has not arrived. */
TEST(test_absent) {
  const uint32_t one[] = {3, ABSENT, 5};
  rh_prepared *most = onepass("max", RH_TYPE_u32);
  ck_assert_uint_eq(run(most, one, 3).value.u, ABSENT);
  ck_assert_uint_eq(run(most, one + 2, 1).value.u, 5);
  rh_prepared_destroy(most);
  const uint64_t both[] = {0, (uint64_t)ABSENT << 32 | ABSENT};
  OWNED(rh_prepared) sum = onepass("sum", RH_TYPE_u64);
  ck_assert_uint_eq(run(sum, both, 2).value.u, both[1]);
}
