/* The minimal host from a strategy's name to the checked answer: it finds the plugin, asks it,
 * runs it on a device or on the host, and proves the answer right, or wrong.
 *
 * This program is its own child, too: `--probe` and `--look`. */
#include <limits.h>
#include <sys/mman.h>

#include "../../host/core/run/run.h"
#include "../suite/suite.h"

enum { BYTES = 1 << 20, MOST = BYTES / 8 };

static const uint32_t operators[] = {RH_OP_sum, RH_OP_argmax};
static const char *const strategies[] = {"serial", "cascade"};
static const uint64_t sizes[] = {1, 4097, MOST};
enum {
  N_OPERATORS = sizeof operators / sizeof *operators,
  N_STRATEGIES = sizeof strategies / sizeof *strategies,
  N_SIZES = sizeof sizes / sizeof *sizes
};

static char self[PATH_MAX];
static rh_context *context;
static unsigned char *data; /* page-aligned */

static void open_context(const char *path) {
  const rh_options options = SIZED(rh_options, .plugin_path = path, .program = self);
  must(rh_context_open(&context, &options, NULL, &error));
}

static void set_up(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  open_context(getenv("REDHOST_TEST_PLUGINS"));
  data = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
  ck_assert_ptr_ne(data, MAP_FAILED);
  for (uint32_t k = 0; k < BYTES; k++) data[k] = (unsigned char)(k * 2654435761u >> 24);
}

static void tear_down(void) {
  rh_context_close(context);
  munmap(data, BYTES);
}

/* Floats of random bits are often NaN or huge: these are not. */
static void make_floats(rh_type type, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    double x = (double)(int)(k * 7919 % 2001) / 1000 - 1;
    float narrow = (float)x;
    uint16_t half = (uint16_t)(0x3800 + k % 1024); /* from 0.5 to 1 */
    if (type == RH_TYPE_f64) memcpy(data + k * sizeof x, &x, sizeof x);
    if (type == RH_TYPE_f32) memcpy(data + k * sizeof narrow, &narrow, sizeof narrow);
    if (type == RH_TYPE_f16) memcpy(data + k * sizeof half, &half, sizeof half);
  }
}

/* RH_OK: *verdict is on the strategy's answer. */
static rh_status reduce(rh_job_spec spec, rh_verdict *verdict) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  rh_reference reference;
  rh_result result;
  rh_found found;
  rh_job job = {0};
  RH_TRY(rh_context_locate(context, spec.strategy, &found, &error));
  spec.plugin = found.path;
  rh_status status = rh_job_init(&job, context, &spec, &error);
  if (status == RH_OK) status = rh_job_setup(&job, data, 0, &error);
  if (status == RH_OK) status = rh_job_reference(&spec, data, NULL, &reference, &error);
  if (status == RH_OK)
    status = rh_instance_call(job.instance, &job.data, spec.operation.n, value, &error);
  if (status == RH_OK) {
    rh_job_result(&spec, spec.strategy, value, &result);
    rh_reference_judge(&reference, &result, job.answer.depth, rh_job_flushes(&spec, job.device),
                       verdict);
  }
  rh_job_finish(&job);
  rh_found_finish(&found);
  return status;
}

CASES(runs, .set_up = set_up, .tear_down = tear_down, .timeout = 240)

TEST_LOOP(right_answers, 0, N_STRATEGIES) {
  const char *strategy = strategies[_i];
  uint32_t judged = 0;
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    if (rh_type_is_float(type)) make_floats(type, MOST);
    for (uint32_t k = 0; k < N_OPERATORS * N_SIZES; k++) {
      const rh_operator *op = rh_operator_builtin(operators[k / N_SIZES], type);
      const rh_job_spec spec = {.strategy = strategy,
                                .operation.op = op,
                                .operation.n = sizes[k % N_SIZES],
                                .operation.what = "the test's data"};
      rh_verdict verdict;
      if (!op) continue;
      rh_status status = reduce(spec, &verdict);
      if (status == RH_DECLINED || status == RH_E_DEVICE) continue; /* no doubles, for example */
      ck_assert_msg(status == RH_OK, "%s %s: %s", strategy, op->name, error.message);
      ck_assert_msg(verdict.verdict != RH_VERDICT_WRONG, "%s %s of type %u: %s", strategy, op->name,
                    type, verdict.text);
      judged += verdict.verdict == RH_VERDICT_OK;
    }
  }
  ck_assert_uint_ge(judged, 50);
}

TEST(a_wrong_answer) {
  rh_verdict verdict;
  rh_context_close(context);
  open_context(getenv("REDHOST_TEST_WRONG"));
  const rh_job_spec spec = {.strategy = "tail_twice",
                            .operation.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_u32),
                            .operation.n = 4097,
                            .operation.what = "the test's data"};
  must(reduce(spec, &verdict));
  ck_assert_int_eq(verdict.verdict, RH_VERDICT_WRONG);
}

TEST(names_that_are_unknown) {
  rh_verdict verdict;
  const rh_job_spec spec = {.strategy = "cascad",
                            .operation.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_u32),
                            .operation.n = 1,
                            .operation.what = "the test's data"};
  must_refuse(reduce(spec, &verdict), "cascade");
}

/* Calling functions of other libraries is not the minimal host's. */
TEST(a_description_is_refused) {
  char path[] = "/tmp/redhost-test-XXXXXX.foreign.json";
  const rh_plugin *plugin;
  int file = mkstemps(path, 13);
  ck_assert_int_ge(file, 0);
  close(file);
  must_fail(rh_plugin_open(path, NULL, &plugin, &error), RH_E_PLUGIN, "another library");
  unlink(path);
}

int main(int argc, char **argv) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 1;
  if (argc > 1 && strcmp(argv[1], "--probe") == 0) return rh_probe_main(rh_op_find, NULL);
  if (argc > 1 && strcmp(argv[1], "--look") == 0) return rh_look_main();
  return run_tests();
}
