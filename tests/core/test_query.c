/* host/core/plug/query.c: a strategy's answers. */
#include "../../host/core/base/base.h"
#include "../suite/suite.h"
#include "plug_support.h"

static rh_answer given;
static rh_status given_status;
static int asked;

static rh_status give(const rh_problem *problem, const int64_t *params, rh_answer *to) {
  (void)problem;
  (void)params;
  ck_assert_uint_eq(to->struct_size, sizeof *to);
  ck_assert_int_eq(to->reason[0], 0);
  asked++;
  *to = given;
  return given_status;
}

static rh_status query(const model *m, const rh_device *device, const int64_t *params,
                       rh_answer *to) {
  rh_problem problem = {sizeof problem, RH_TYPE_u64, find_op(RH_OP_sum, RH_TYPE_u64),
                        device,         10,          NULL};
  return rh_strategy_query(&m->strategy, &problem, params, to, &error);
}

static void make_query_model(model *m) {
  make_model(m);
  m->strategy.query = give;
  memset(&given, 0, sizeof given);
  given_status = RH_OK;
  asked = 0;
}

static void assert_declined(const model *m, const rh_device *device, const int64_t *params,
                            uint32_t why, const char *reason) {
  rh_answer got;
  ck_assert_int_eq(query(m, device, params, &got), RH_DECLINED);
  ck_assert_uint_eq(got.why, why);
  ck_assert_str_eq(got.reason, reason);
}

TEST(the_host_declines_for_devices) {
  model m;
  rh_device device = gpu;
  rh_answer got;
  make_query_model(&m);
  m.strategy.device_kinds = RH_DEVICE_CPU | RH_DEVICE_GPU;
  device.kind = RH_DEVICE_ACCELERATOR;
  assert_declined(&m, &device, defaults, RH_WHY_DEVICE,
                  "runs on CPU and GPU devices; Card is an accelerator");
  device.kind = RH_DEVICE_HOST;
  assert_declined(&m, &device, defaults, RH_WHY_DEVICE,
                  "runs on CPU and GPU devices; there is no OpenCL device here");
  static const char *const reasons[] = {"device has no fp64",
                                        "device has no 64-bit atomics (cl_khr_int64_base_atomics)",
                                        "device has no sub-groups (cl_khr_subgroups)",
                                        "device has no work-group collective functions",
                                        "device has no cl_intel_subgroups block reads"};
  for (int k = 0; k < 5; k++) {
    m.strategy.needs = 1ull << k;
    assert_declined(&m, &gpu, defaults, RH_WHY_DEVICE, reasons[k]);
  }
  ck_assert_int_eq(asked, 0);
  /* Host code runs with any device, and needs none of its features. */
  m.strategy.device_kinds = RH_DEVICE_HOST;
  must(query(&m, &gpu, defaults, &got));
  ck_assert_int_eq(query(&m, &device, defaults, &got), RH_OK);
  ck_assert_int_eq(asked, 2);
}

TEST(the_host_declines_for_parameters) {
  model m;
  make_query_model(&m);
  assert_declined(&m, &gpu, (int64_t[]){0, 0, 1}, RH_WHY_PARAM, "tile=0: expected 1 to 1024");
  assert_declined(&m, &gpu, (int64_t[]){1025, 0, 1}, RH_WHY_PARAM, "tile=1025: expected 1 to 1024");
  assert_declined(&m, &gpu, (int64_t[]){1, 3, 1}, RH_WHY_PARAM,
                  "group=3: expected 0 to 512, a power of two");
  assert_declined(&m, &gpu, (int64_t[]){1, 1024, 1}, RH_WHY_PARAM,
                  "group=1024: expected 0 to 512, a power of two");
  assert_declined(&m, &gpu, (int64_t[]){1, 4, 2}, RH_WHY_PARAM, "where=2: expected host or device");
  ck_assert_int_eq(asked, 0);
  rh_answer got;
  ck_assert_int_eq(query(&m, &gpu, (int64_t[]){7, 4, 0}, &got), RH_OK);
  ck_assert_int_eq(query(&m, &gpu, NULL, &got), RH_E_INVALID);
  ck_assert_int_eq(query(&m, NULL, defaults, &got), RH_E_INVALID);
}

TEST(answers_are_judged) {
  model m;
  rh_answer got;
  make_query_model(&m);
  given = (rh_answer){.struct_size = 3, .score = 1000, .depth = 5};
  must(query(&m, &gpu, defaults, &got));
  ck_assert_uint_eq(got.struct_size, sizeof got);
  ck_assert_uint_eq(got.depth, 5);
  given.score = 1001;
  must_fail(query(&m, &gpu, defaults, &got), RH_E_PLUGIN,
            "strategy 'model': query returned a score of 1001, expected 0 to 1000");
  given = (rh_answer){.finishes_on_host = 2};
  must_fail(query(&m, &gpu, defaults, &got), RH_E_PLUGIN, "finishes_on_host = 2");
  given_status = RH_E_CL;
  must_fail(query(&m, &gpu, defaults, &got), RH_E_PLUGIN,
            "query returned -3 (RH_E_CL), expected RH_OK or RH_DECLINED");
  given_status = 77;
  must_fail(query(&m, &gpu, defaults, &got), RH_E_PLUGIN, "query returned 77 (unknown status)");
}

TEST(reasons_are_made_fit) {
  model m;
  make_query_model(&m);
  given_status = RH_DECLINED;
  given.why = RH_WHY_SIZE;
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "declined without a reason");
  strcpy(given.reason, "n\xc3\xa4rrisch");
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "n\xc3\xa4rrisch");
  strcpy(given.reason, "a\nb\xff");
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "a?b");
  strcpy(given.reason, "a\xff z");
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, "a? z");
  /* 158 times x and a character of two bytes that does not fit: cut before it. */
  memset(given.reason, 'x', sizeof given.reason);
  memcpy(given.reason + 158, "\xc3\xa4", 2);
  char expected[160] = {0};
  memset(expected, 'x', 158);
  assert_declined(&m, &gpu, defaults, RH_WHY_SIZE, expected);
}

TEST(query_must_leave_the_control_word) {
  const rh_plugin *plugin;
  rh_answer got;
  rh_fpstate before = rh_fpstate_save();
  must(rh_plugin_open(copy("rounds_in_query"), NULL, &plugin, &error));
  rh_problem problem = {sizeof problem, RH_TYPE_u64, find_op(RH_OP_sum, RH_TYPE_u64),
                        &gpu,           10,          NULL};
  must_fail(rh_strategy_query(plugin->strategies[0], &problem, NULL, &got, &error), RH_E_PLUGIN,
            "query changes the floating-point control word");
  ck_assert_int_eq(rh_fpstate_restore(&before), 0);
}

static void combine_own(const void *user, void *accumulator, const void *value) {
  (void)user;
  (void)accumulator;
  (void)value;
}

static const void *serves_users(const char *id) {
  return strcmp(id, RH_EXTENSION_OPERANDS) == 0 ? id : NULL;
}

/* A strategy of 1.0 or 1.1 calls functions that this operator does not have. */
TEST(the_host_declines_for_functions_with_user) {
  static const struct {
    uint32_t kind, finishes_on_host;
    int knows, is_declined;
  } cases[] = {
      {RH_DEVICE_HOST, 1, 0, 1}, {RH_DEVICE_HOST, 1, 1, 0}, {RH_DEVICE_GPU, 1, 0, 1},
      {RH_DEVICE_GPU, 1, 1, 0},  {RH_DEVICE_GPU, 0, 0, 0},  {RH_DEVICE_GPU, 0, 1, 0},
  };
  rh_op own = *find_op(RH_OP_sum, RH_TYPE_u64);
  rh_problem problem = {sizeof problem, RH_TYPE_u64, &own, &gpu, 10, NULL};
  own.id = RH_FIRST_USER_OP;
  own.name = "mine";
  own.combine_with = combine_own;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    model m;
    rh_answer got;
    make_query_model(&m);
    m.strategy.device_kinds = cases[k].kind;
    m.strategy.extension = cases[k].knows ? serves_users : NULL;
    given.finishes_on_host = cases[k].finishes_on_host;
    rh_status status = rh_strategy_query(&m.strategy, &problem, defaults, &got, &error);
    ck_assert_int_eq(status, cases[k].is_declined ? RH_DECLINED : RH_OK);
    if (status == RH_DECLINED)
      ck_assert_str_eq(got.reason, "mine is an operator of a user's, and model calls the functions "
                                   "of built-in ones");
  }
}

int main(int argc, char **argv) { return plug_main(argc, argv); }
