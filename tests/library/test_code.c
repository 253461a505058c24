/* Operators in OpenCL C through rh_reduce() and rh_prepare(), and operators by a file's name. */
#include "library.h"

#include <sys/stat.h>

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { N = 10007 };

static float x[N + 1];

static void fill(void) {
  for (int i = 0; i <= N; i++) x[i] = (float)((i * 37) % 101 - 50);
}

static void check_result(uint64_t first, uint64_t n) {
  double squares = 0;
  int64_t last = -1;
  for (uint64_t i = 0; i < n; i++) {
    squares += (double)x[first + i] * x[first + i]; /* exact */
    if (x[first + i] > 0) last = (int64_t)i;
  }
  ck_assert_uint_eq(result.n_fields, 2);
  ck_assert_double_eq(result.fields[0].value.f, squares);
  ck_assert_int_eq(result.fields[1].value.i, last);
}

static rh_request code_request(const char *strategy, uint64_t n) {
  return request_for(strategy, squares_and_last, RH_TYPE_f32, x, n);
}

ONCE(fill, NULL)

CASES(operators_in_OpenCL_C, .set_up = set_up, .tear_down = tear_down)

/* More than once, as what is set up is kept. */
TEST(reduces_by_code) {
  static const uint64_t sizes[] = {N, 0, 1, 257, N};
  for (size_t s = 0; s < 5; s++) {
    rh_request request = code_request(s % 2 ? "two_stage" : NULL, sizes[s]);
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    check_result(0, sizes[s]);
  }
}

TEST(prepares_code) {
  rh_request spec = request_for("two_stage", squares_and_last, RH_TYPE_f32, NULL, N);
  OWNED(rh_prepared) prepared = prepare(redhost, &spec);
  for (uint64_t first = 0; first < 2; first++)
    for (uint64_t n = 0; n <= N - first; n += 5003) {
      must(rh_prepared_run(prepared, x + first, n, spoilt(&result), &error));
      check_result(first, n);
    }
}

TEST(the_host_declines) {
  rh_request request = code_request("native", N);
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_DECLINED, "the operator is OpenCL C");
  request.op = "{\"redhost\": \"operator/1\", \"name\": \"f\", \"operands\": [\"x\"], \"value\": "
               "{\"a\": \"f64\"}, \"code\": \"f.cl\"}";
  ck_assert_int_ne(rh_reduce(redhost, &request, spoilt(&result), &error), RH_OK);
  assert_says(error.message, "names a file of OpenCL C");
}

/* By rh_options.plugin_path, as plugins. */
TEST(finds_a_file_by_name) {
  char folder[] = "/tmp/redhost-code-XXXXXX", path[128], both[4200];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/twice.op.json", folder);
  FILE *file = fopen(path, "we");
  ck_assert_ptr_nonnull(file);
  fputs("{\"redhost\": \"operator/1\", \"name\": \"twice\", \"operands\": [\"x\"], \"op\": \"sum\","
        " \"map\": \"2*(f64)x\"}",
        file);
  fclose(file);
  const char *plugins = getenv("REDHOST_TEST_PLUGINS");
  snprintf(both, sizeof both, "%s:%s", folder, plugins ? plugins : "");
  rh_redhost *opened = open_with((rh_options){.plugin_path = both});
  rh_request request = code_request("native", N);
  double sum = 0;
  request.op = "twice";
  rh_status status = rh_reduce(opened, &request, spoilt(&result), &error);
  unlink(path);
  rmdir(folder);
  must(status);
  for (int i = 0; i < N; i++) sum += 2 * x[i];
  ck_assert_double_eq(result.value.f, sum);
  request.op = "thrice"; /* the directory is gone */
  must_refuse(rh_reduce(opened, &request, &result, &error), "unknown operator 'thrice'");
  rh_close(opened);
}
