/* rh_reduce_distributed(), with threads as ranks: a failure of one rank is the failure of all.
 * Without a device, as under ThreadSanitizer, only host strategies are used. */
#include "../../host/library/library.h"
#include "library.h"
#include "ranks.h"

enum { N = 40007 };

static float x[N], w[N];
static double y[N];
static int32_t k[N];
static uint64_t u[N];

static void fill(void) {
  uint64_t state = 1;
  for (int i = 0; i < N; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double number = (double)(state >> 11) * 0x1p-53;
    x[i] = (float)(number - 0.3);
    w[i] = (float)(1 + number / 8);
    y[i] = 0.5 + number;
    k[i] = (int32_t)(state >> 40) - 5000000;
    u[i] = state >> 3;
  }
}

static void open_filled(void) {
  fill();
  set_up();
}

static int has_device(void) {
  const rh_cl_device *device;
  return rh_context_device(redhost->context, &device, NULL) == RH_OK;
}

static const rh_input two_floats[] = {{.type = RH_TYPE_f32, .data = x},
                                      {.type = RH_TYPE_f32, .data = w}};
static const rh_input two_types[] = {{.type = RH_TYPE_f32, .data = x},
                                     {.type = RH_TYPE_f64, .data = y}};
static const rh_input only_y[] = {{.type = RH_TYPE_f64, .data = y}};
static const rh_constant half[] = {{.name = "t", .is_float = 1, .value = {.f = 0.5}}};

#define REQUEST .struct_size = sizeof(rh_request)
static const rh_request problems[] = {
    {REQUEST, .op = "sum", .type = RH_TYPE_f32, .data = x},
    {REQUEST, .op = "sum", .type = RH_TYPE_f32, .data = x, .accuracy = RH_ACCURACY_EXACT},
    {REQUEST, .op = "prod", .type = RH_TYPE_f64, .data = y},
    {REQUEST, .op = "argmin", .type = RH_TYPE_f32, .data = x},
    {REQUEST, .op = "argmax", .type = RH_TYPE_i32, .data = k, .unchecked = 1},
    {REQUEST, .op = "affine", .type = RH_TYPE_u64, .data = u},
    {REQUEST, .op = "dot", .inputs = two_floats, .n_inputs = 2},
    {REQUEST, .op = "dot", .inputs = two_types, .n_inputs = 2},
    {REQUEST, .op = "dot", .inputs = two_floats, .n_inputs = 2, .accuracy = RH_ACCURACY_EXACT},
    {REQUEST, .op = "meanvar", .inputs = only_y, .n_inputs = 1},
    {REQUEST, .op = "min,max,sum", .type = RH_TYPE_f32, .data = x},
    {REQUEST, .op = "sum", .map = "x*(i%7)/n", .inputs = only_y, .n_inputs = 1},
    {REQUEST, .op = "sum", .map = "x*t", .where = "x > t", .inputs = only_y, .n_inputs = 1,
     .constants = half, .n_constants = 1},
    {REQUEST, .op = "argmax", .map = "fabs(x-y)", .inputs = two_floats, .n_inputs = 2},
    /* It does not commute. */
    {REQUEST, .reduce = "a*(1-b)+b", .identity = "0", .type = RH_TYPE_f32, .data = w,
     .unchecked_op = 1},
};

/* ---- One process and three ---- */

static uint32_t size_of(rh_type type) { return type == RH_TYPE_f64 || type == RH_TYPE_u64 ? 8 : 4; }

static const void *behind(const void *data, rh_type type, uint64_t n) {
  return data ? (const char *)data + n * size_of(type) : NULL;
}

/* Elements from .. to - 1 are the rank's. */
static void share_out(rank *self, const rh_request *whole, uint64_t from, uint64_t to) {
  *self = (rank){.request = *whole, .redhost = redhost};
  self->request.n = to - from;
  self->request.data = behind(whole->data, whole->type, from);
  for (uint64_t j = 0; j < whole->n_inputs; j++) {
    self->inputs[j] = whole->inputs[j];
    self->inputs[j].data = behind(whole->inputs[j].data, whole->inputs[j].type, from);
  }
  if (whole->inputs) self->request.inputs = self->inputs;
}

static rank three[3];

/* Three ranks of the problem, for a test to change. */
static void set_three(int problem) {
  for (uint64_t r = 0; r < 3; r++)
    share_out(&three[r], &problems[problem], 5000 * r, 5000 * r + 5000);
}

static void all_must_work(void) {
  ck_assert(run_ranks(three, 3, 0, MOST_GATHERED));
  for (int r = 0; r < 3; r++) {
    error = three[r].error;
    must(three[r].status);
  }
}

CASES(distributed, .set_up = open_filled, .tear_down = tear_down)

/* Any division of them has the bits of one process: cli.ways.bits.  Repeated calls use what was set
 * up, for the whole and for parts, with and without a map that has the index. */
TEST_LOOP(calls_of_both_kinds_take_turns, 0, sizeof problems / sizeof *problems) {
  for (int j = 0; j < 3; j++) {
    rh_request request = problems[_i];
    rh_result one = {.struct_size = sizeof one};
    request.n = 15000;
    must(rh_reduce(redhost, &request, &one, &error));
    set_three(_i);
    all_must_work();
    for (int r = 0; r < 3; r++) must_be_same(&three[r].result, &one, "three ranks");
  }
}

/* ---- Failures ---- */

static void all_must_fail(rh_status with, const char *words) {
  ck_assert(run_ranks(three, 3, 0, MOST_GATHERED));
  for (int r = 0; r < 3; r++) {
    error = three[r].error;
    must_fail(three[r].status, with, words);
    ck_assert_str_eq(three[r].error.message, three[0].error.message);
    ck_assert_uint_eq(three[r].gathers, three[0].gathers);
    ck_assert_int_eq(three[r].result.strategy[0], 0); /* it is not written */
  }
}

/* One rank cannot begin. */
TEST(a_bad_request_of_one_is_that_of_all) {
  set_three(0);
  three[1].request.data = NULL;
  all_must_fail(RH_E_USAGE, "rank 1 (host ");
  all_must_fail(RH_E_USAGE, "the data is null or not aligned");
  set_three(0);
  three[2].request.op = "sun";
  all_must_fail(RH_E_USAGE, "unknown operator 'sun'");
  set_three(0);
  three[0].redhost = NULL;
  all_must_fail(RH_E_USAGE, "rank 0 (host ");
  set_three(0);
  three[2].request.struct_size = 3;
  all_must_fail(RH_E_USAGE, "rh_request");
  set_three(0);
  for (int r = 0; r < 3; r++) three[r].request.op = "xor";
  all_must_fail(RH_E_USAGE, "operator xor is not defined for f32");
  ck_assert_ptr_null(strstr(three[0].error.message, "rank")); /* they all say so */
  set_three(0);
  all_must_work();
}

/* One rank fails where it reduces; its strategy is its own affair. */
TEST(a_failure_of_one_is_that_of_all) {
  set_three(0);
  three[2].request.strategy = "no_such";
  all_must_fail(RH_E_USAGE, "rank 2 (host ");
  set_three(0);
  three[0].request.strategy = "native";
  three[2].request.strategy = "serial";
  all_must_work();
  ck_assert_str_eq(three[1].result.strategy, "native"); /* of the first */
  if (!has_device()) return;
  rh_redhost *wrong = open_on(NULL, "results/drops_last");
  set_three(0);
  three[1].redhost = wrong;
  three[1].request.strategy = "drops_last";
  all_must_fail(RH_E_WRONG, "wrong result: 'drops_last' on elements 5120 to ");
  assert_says(three[2].error.message, "rank 1 (host ");
  rh_close(wrong);
}

TEST(an_operator_is_blamed_before_a_strategy) {
  static const rh_request wrong = {REQUEST,
                                   .type = RH_TYPE_i32,
                                   .data = k,
                                   .strategy = "serial",
                                   .reduce = "a + 2*b",
                                   .identity = "0",
                                   .commutes = 1,
                                   .unchecked_op = 1};
  for (uint64_t r = 0; r < 3; r++) share_out(&three[r], &wrong, 5000 * r, 5000 * r + 5000);
  all_must_fail(RH_E_PLUGIN, "'a + 2*b' is not associative (");
  ck_assert_ptr_null(strstr(three[0].error.message, "serial"));
}

static int say_stop(void *user, const char *phase, uint64_t done, uint64_t total) {
  return user == NULL && phase && done <= total;
}

TEST(one_rank_cancels) {
  rh_redhost *impatient = open_with((rh_options){.reporter.progress = say_stop});
  set_three(0);
  three[2].redhost = impatient;
  all_must_fail(RH_E_CANCELLED, "rank 2 (host ");
  rh_close(impatient);
}

TEST(a_gather_that_fails) {
  for (uint32_t at = 1; at <= 8; at++) {
    set_three(0);
    ck_assert(run_ranks(three, 3, at, MOST_GATHERED));
    if (three[0].gathers < at) break;
    ck_assert_uint_eq(three[0].gathers, at); /* it is not called again */
    for (int r = 0; r < 3; r++) {
      error = three[r].error;
      must_fail(three[r].status, RH_E_PLUGIN, "gather() of the communicator returned 7");
    }
  }
  ck_assert_uint_gt(three[0].gathers, 3);
  ck_assert_int_eq(three[0].status, RH_OK);
}

/* Nothing is read. */
TEST(more_elements_than_can_be_counted) {
  static const rh_request bytes = {REQUEST, .op = "xor", .type = RH_TYPE_u8, .data = u};
  set_three(0);
  for (int r = 0; r < 3; r++) {
    three[r].request = bytes;
    three[r].request.n = UINT64_MAX / 2;
  }
  all_must_fail(RH_E_USAGE, "beyond all memory");
}

TEST(malformed_communicators) {
  rh_request request = problems[0];
  rh_result result = {.struct_size = sizeof result};
  rh_communicator by = SIZED(rh_communicator, .size = 1);
  request.n = 1000;
  must(rh_reduce_distributed(redhost, &request, &by, &result, &error));
  must_refuse(rh_reduce_distributed(redhost, &request, NULL, &result, &error), "is null");
  by.size = 2;
  must_refuse(rh_reduce_distributed(redhost, &request, &by, &result, &error),
              "rh_communicator.gather is null, and there are 2 ranks");
  by.gather = gather_ranks;
  by.rank = 2;
  must_refuse(rh_reduce_distributed(redhost, &request, &by, &result, &error), "rank 2 of 2");
  by = (rh_communicator){.struct_size = sizeof by, .size = 0};
  must_refuse(rh_reduce_distributed(redhost, &request, &by, &result, &error), "rank 0 of 0");
  by.size = 1;
  by.reserved = 1;
  must_refuse(rh_reduce_distributed(redhost, &request, &by, &result, &error), "reserved");
  by.struct_size = 5;
  must_refuse(rh_reduce_distributed(redhost, &request, &by, &result, &error), "rh_communicator");
}
