/* rh_reduce() for many arrays: which setups it keeps, and when it releases them; and null pointers
 * in every argument. */
#include <sys/mman.h>

#include "../../host/choose/internal.h"
#include "../../host/library/library.h"
#include "../core/folder.h"
#include "library.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { N = 3001 };

static int32_t numbers[N];

static void set_up_numbers(void) {
  set_up();
  for (int k = 0; k < N; k++) numbers[k] = k * 7919 % 1013 - 500;
}

static int64_t sum_of(const int32_t *x, uint64_t n) {
  int64_t sum = 0;
  for (uint64_t k = 0; k < n; k++) sum += x[k];
  return sum;
}

static rh_request request_of(const char *strategy, const int32_t *x, uint64_t n) {
  return SIZED(rh_request, .strategy = strategy, .op = "sum", .type = RH_TYPE_i32, .data = x,
               .n = n, .unchecked = 1);
}

static void reduce(const rh_request *request) {
  must(rh_reduce(redhost, request, spoilt(&result), &error));
}

static void check_sum(const char *strategy, const int32_t *x, uint64_t n, uint32_t unchecked) {
  rh_request request = request_of(strategy, x, n);
  request.unchecked = unchecked;
  reduce(&request);
  ck_assert_int_eq(result.value.i, sum_of(x, n));
}

/* The setup that is kept for a strategy's name; null: none. */
static const rh_instance *kept_for(const char *strategy) {
  for (int k = 0; k < (int)redhost->kept.n; k++) {
    const rh_kept_job *kept = redhost->kept.jobs[k];
    if (strcmp(kept->asked.strategy, strategy) == 0) return kept->job.instance;
  }
  return NULL;
}

static int n_kept(void) { return (int)redhost->kept.n; }

static const char *const strategies[] = {"serial", "native", "auto", "cascade", "two_stage"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

/* ---- Kept setups ---- */

CASES(kept, .set_up = set_up_numbers, .tear_down = tear_down)

TEST_LOOP(set_up_once_for_all_sizes_of_a_class, 0, STRATEGIES) {
  const char *name = strategies[_i];
  check_sum(name, numbers, 2000, 0);
  const rh_instance *first = kept_for(name);
  ck_assert_ptr_nonnull(first);
  for (uint64_t n = 1025; n <= 2048; n += 93) check_sum(name, numbers + n % 7, n, n % 2);
  ck_assert_ptr_eq(kept_for(name), first);
  ck_assert_int_eq(n_kept(), 1);
  check_sum(name, numbers, 2049, 1);
  check_sum(name, numbers, 1, 1);
  check_sum(name, NULL, 0, 0);
  ck_assert_int_eq(n_kept(), 4);
  check_sum(name, numbers, 1500, 1);
  ck_assert_int_eq(n_kept(), 4);
}

/* As many as the program asked for, and the one after only costs the one before it. */
TEST_LOOP(as_many_as_asked_for, 0, 15) {
  rh_redhost *plain = redhost;
  redhost = open_with((rh_options){.kept_setups = (uint32_t)_i});
  for (int round = 0; round < 2; round++)
    for (uint64_t n = 1; n <= 1 << 11; n *= 2) check_sum("serial", numbers, n, 1);
  ck_assert_int_eq(n_kept(), _i == 0 ? 8 : _i > 12 ? 12 : _i);
  const rh_instance *kept = redhost->kept.jobs[n_kept() - 1]->job.instance;
  check_sum("serial", numbers, UINT64_C(1) << (12 - n_kept()), 1); /* the oldest */
  ck_assert_ptr_eq(redhost->kept.jobs[0]->job.instance, kept);
  rh_close(redhost);
  redhost = plain;
}

/* Each of these differs from the first one in what it asks for, so that another one's setup would
 * give a wrong answer. */
TEST(each_word_counts) {
  static float y[2] = {3, 5};
  static const rh_input one[] = {{.name = "x", .type = RH_TYPE_f32, .data = y}},
                        other[] = {{.name = "y", .type = RH_TYPE_f32, .data = y}};
  static const rh_constant of_int[] = {{.name = "t", .value.i = 2}},
                           of_float[] = {{.name = "t", .is_float = 1, .value.f = 0.5}};
  static const struct {
    rh_request request;
    double right;
  } cases[] = {
      {{.map = "2*x", .inputs = one, .n_inputs = 1}, 16},
      {{.map = "3*x", .inputs = one, .n_inputs = 1}, 24},
      {{.map = "2*y", .inputs = other, .n_inputs = 1}, 16},
      {{.map = "2*x", .inputs = one, .n_inputs = 1, .where = "x > 4"}, 10},
      {{.map = "2*x", .inputs = one, .n_inputs = 1, .where = "x < 4"}, 6},
      {{.op = "max", .map = "2*x", .inputs = one, .n_inputs = 1}, 10},
      {{.map = "2*x", .inputs = one, .n_inputs = 1, .finalize = "a/4"}, 4},
      {{.map = "2*x", .inputs = one, .n_inputs = 1, .finalize = "a/8"}, 2},
      {{.map = "2*x", .inputs = one, .n_inputs = 1, .initial = "3"}, 19},
      {{.map = "2*x", .inputs = one, .n_inputs = 1, .initial = "4"}, 20},
      {{.reduce = "a > b ? a : b", .identity = "-inf", .inputs = one, .n_inputs = 1}, 5},
      {{.reduce = "a > b ? a : b", .identity = "4", .inputs = one, .n_inputs = 1}, 5},
      {{.map = "t*x", .inputs = one, .n_inputs = 1, .constants = of_int, .n_constants = 1}, 16},
      {{.map = "t*x", .inputs = one, .n_inputs = 1, .constants = of_float, .n_constants = 1}, 4},
      {{.op = "sum", .type = RH_TYPE_f32, .data = y}, 8},
  };
  enum { CASES = sizeof cases / sizeof *cases };
  redhost->context->options.kept_setups = CASES;
  for (int round = 0; round < 2; round++)
    for (int k = 0; k < CASES; k++) {
      rh_request request = cases[k].request;
      request.struct_size = sizeof request;
      request.strategy = "native";
      request.n = 2;
      request.unchecked = request.unchecked_op = 1;
      reduce(&request);
      check_first_result(&result);
      double value = result.value.f;
      ck_assert_msg(value == cases[k].right, "%d: %g", k, value);
      ck_assert_int_eq(n_kept(), round ? CASES : k + 1);
    }
}

/* A request that cannot be meant is refused also where another one's setup is kept. */
TEST(a_kept_setup_is_no_leave) {
  rh_request request = request_of("serial", numbers, N), bad;
  const rh_input input = {.type = RH_TYPE_i32, .data = numbers};
  reduce(&request);
  bad = request;
  bad.data = (const char *)numbers + 1;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "aligned");
  bad.data = NULL;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "null");
  bad = request;
  bad.result_on_device = 1;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "result_on_device");
  bad.result_on_device = 0;
  bad.accuracy = RH_ACCURACY_EXACT;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "exclusive");
  bad.accuracy = 7;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "accuracy");
  bad = request;
  bad.inputs = &input;
  bad.n_inputs = 1;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "exclusive");
  bad.data = NULL;
  reduce(&bad);
  bad.n_inputs = 9;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "9 inputs");
  bad = request;
  bad.n_settings = 1;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "settings is null");
  bad.n_settings = 0;
  bad.n_constants = 1;
  must_refuse(rh_reduce(redhost, &bad, &result, &error), "constants");
  ck_assert_int_eq(n_kept(), 2);
}

/* Any difference makes another problem; strings are compared by their contents. */
TEST(problems_are_told_apart) {
  char key[] = "tile", value[] = "64", op[] = "sum";
  rh_setting setting = {key, value};
  rh_request request = request_of("cascade", numbers, N);
  request.op = op;
  reduce(&request);
  request.settings = &setting;
  request.n_settings = 1;
  reduce(&request);
  ck_assert_int_eq(n_kept(), 2);
  strcpy(value, "32");
  reduce(&request);
  ck_assert_int_eq(n_kept(), 3);
  char again[] = "64";
  setting.value = again;
  reduce(&request);
  ck_assert_int_eq(n_kept(), 3);
  strcpy(op, "max");
  reduce(&request);
  ck_assert_int_eq(result.value.i, 512);
  request.type = RH_TYPE_u32;
  reduce(&request);
  ck_assert_int_eq(n_kept(), 5);
}

TEST(the_least_recently_used_goes) {
  static const char *const ops[] = {"sum", "min",  "max",  "xor",   "and",
                                    "or",  "asum", "amax", "argmin"};
  check_sum("native", numbers, N, 1);
  for (int o = 1; o < 9; o++) {
    rh_request request = request_of("serial", numbers, N);
    request.op = ops[o];
    reduce(&request);
    if (o < 8) ck_assert_int_eq(n_kept(), o + 1);
    if (o == 6) check_sum("native", numbers, N, 1); /* not the oldest any more */
  }
  ck_assert_int_eq(n_kept(), RH_KEPT_SETUPS);
  ck_assert_ptr_nonnull(kept_for("native"));
  check_sum("native", numbers, N, 1);
  ck_assert_int_eq(n_kept(), RH_KEPT_SETUPS);
}

/* ---- The caller's memory ---- */

/* Mapped, unmapped, and other data at the same address. */
TEST_LOOP(arrays_come_and_go, 0, 2) {
  size_t bytes = N * sizeof(int32_t);
  the_device()->shares_memory = (uint32_t)_i;
  for (int round = 0; round < 20; round++) {
    int32_t *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(x != MAP_FAILED);
    for (int k = 0; k < N; k++) x[k] = round * k;
    check_sum("cascade", x, N, (uint32_t)round % 2);
    check_sum("cascade", x + 5, N - 500, 1);
    ck_assert_int_eq(munmap(x, bytes), 0);
    /* No object over the caller's former memory is kept; the device's own buffer is. */
    ck_assert_int_eq(redhost->kept.inputs[0].buffer == NULL, _i);
    ck_assert_uint_eq(redhost->kept.inputs[0].in_place, 0);
  }
  ck_assert_int_eq(n_kept(), 1);
}

TEST(large_buffers_do_not_stay) {
  uint64_t n = RH_KEPT_BYTES / sizeof(int32_t) + 1;
  int32_t *x = calloc(n, sizeof *x);
  the_device()->shares_memory = 0;
  redhost->context->most_whole_bytes = UINT64_MAX; /* or they would be streamed */
  x[n - 1] = 5;
  check_sum("cascade", x, n, 1);
  ck_assert_ptr_null(redhost->kept.inputs[0].buffer);
  ck_assert_ptr_nonnull(kept_for("cascade")); /* itself it takes little */
  free(x);
}

/* ---- Failures ---- */

TEST(a_failure_is_not_kept) {
  const rh_setting setting = {"tile", "7777777"};
  rh_request request = request_of("cascade", numbers, N);
  request.settings = &setting;
  request.n_settings = 1;
  ck_assert_int_eq(rh_reduce(redhost, &request, spoilt(&result), &error), RH_E_USAGE);
  ck_assert_int_eq(n_kept(), 0);
  request.settings = NULL;
  request.n_settings = 0;
  reduce(&request);
  ck_assert_int_eq(n_kept(), 1);
  cl_command_queue queue = redhost->context->session.queue;
  redhost->context->session.queue = NULL; /* for one call */
  ck_assert_int_eq(rh_reduce(redhost, &request, spoilt(&result), &error), RH_E_CL);
  redhost->context->session.queue = queue;
  ck_assert_int_eq(n_kept(), 0);
  check_sum("cascade", numbers, N, 0);
  ck_assert_int_eq(n_kept(), 1);
}

/* A strategy that serves 3001 elements, but not the 4096 that 3001 is rounded up to. */
TEST(a_class_that_is_too_large) {
  the_device()->about.max_alloc_bytes = N * sizeof(int32_t);
  check_sum("cascade", numbers, N, 1);
  const rh_instance *first = kept_for("cascade");
  check_sum("cascade", numbers, N, 0);
  ck_assert_ptr_eq(kept_for("cascade"), first);
  ck_assert_int_eq(n_kept(), 1);
}

/* `auto` chooses again if its strategy turns out to be wrong, in any call. */
TEST(auto_leaves_who_was_wrong) {
  rh_request request = request_of(NULL, numbers, N);
  setenv("REDHOST_NO_CACHE", "1", 1);
  reduce(&request);
  const rh_result before = result;
  const rh_job *job = &redhost->kept.jobs[0]->job;
  rh_context_blame(redhost->context, job->strategy->name, job->path, job->spec.operation.op, 7);
  reduce(&request);
  ck_assert_str_ne(before.strategy, result.strategy);
  ck_assert_int_eq(n_kept(), 1);
}

TEST(a_wrong_one_is_not_kept) {
  rh_redhost *plain = redhost;
  rh_request request = request_of("drops_last", numbers, N);
  redhost = open_on(NULL, "results/drops_last");
  reduce(&request); /* unchecked */
  ck_assert_int_eq(n_kept(), 1);
  request.unchecked = 0;
  for (int k = 0; k < 2; k++) {
    ck_assert_int_eq(rh_reduce(redhost, &request, spoilt(&result), &error), RH_E_WRONG);
    ck_assert_int_eq(n_kept(), 0);
  }
  rh_close(redhost);
  redhost = plain;
}

/* ---- A machine that nobody tuned ---- */

static char directory[64];

/* With a cache, and a device that has memory of its own. */
static void open_far(void) {
  rh_close(redhost);
  make_folder(directory, sizeof directory);
  unsetenv("REDHOST_NO_CACHE");
  unsetenv("REDHOST_NO_MEASURE");
  redhost = open_with((rh_options){.cache_dir = directory});
  the_device()->shares_memory = 0;
}

/* The time of the way that so many bytes take, as it is known. */
static double way_s(uint64_t bytes, uint32_t in_pieces) {
  const rh_job_spec spec = {
      .operation = {.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_i32), .n = bytes / 4},
      .in_pieces = in_pieces};
  rh_tunedb *tuned;
  must(rh_context_tuned(redhost->context, &tuned, &error));
  return rh_transfer_s(redhost->context, tuned, &spec);
}

/* On a device with memory of its own: the first call measures the way to it and the host, whoever
 * is chosen, and says so.  Arrays that are streamed take another way than others. */
TEST(the_upload_is_measured) {
  rh_tunedb *tuned;
  open_far();
  check_sum(NULL, numbers, N, 0);
  assert_says(redhost->context->chosen, "; the upload to ");
  must(rh_context_tuned(redhost->context, &tuned, &error));
  ck_assert(way_s(4, 0) > 0 && way_s(1u << 27, 0) >= way_s(4, 0));
  ck_assert(way_s(1u << 27, 1) == way_s(1u << 27, 0));
  redhost->context->most_whole_bytes = 1000;
  check_sum(NULL, numbers, N - 1500, 0);
  assert_says(redhost->context->chosen, "; the upload to ");
  ck_assert(way_s(1u << 30, 1) >= way_s(1u << 20, 1));
  ck_assert(way_s(1u << 27, 1) != way_s(1u << 27, 0));
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
  remove_folder(directory);
}

/* Data that stay on the device do not count their way. */
TEST(on_the_device_nothing_is_measured) {
  rh_cl_session *session;
  rh_request spec =
      SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = N, .data_on_device = 1);
  open_far();
  must(rh_context_session(redhost->context, &session, &error));
  redhost->context->options.queue = session->queue; /* as the caller's */
  rh_prepared_destroy(prepare(redhost, &spec));
  redhost->context->options.queue = NULL;
  ck_assert_ptr_null(strstr(redhost->context->chosen, "upload"));
  ck_assert(way_s(4, 0) == 0);
  remove_folder(directory);
}

/* Nothing is compiled while the time of a measurement runs. */
TEST(only_what_is_compiled) {
  rh_cl_session *session;
  rh_request request = request_of("cascade", numbers, N);
  must(rh_context_session(redhost->context, &session, &error));
  session->compiled_only = 1;
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_DECLINED, "is not compiled");
  session->compiled_only = 0;
  check_sum("cascade", numbers, N, 0);
}

/* ---- Null pointers ---- */

static void reduce_null(rh_request request, const char *words) {
  must_refuse(rh_reduce(redhost, &request, spoilt(&result), &error), words);
  ck_assert_int_eq(rh_reduce(redhost, &request, &result, NULL), RH_E_USAGE);
  rh_request spec =
      SIZED(rh_request, .strategy = request.strategy, .op = request.op, .type = request.type,
            .n = request.n, .settings = request.settings, .n_settings = request.n_settings);
  rh_prepared *prepared = (rh_prepared *)&spec;
  if (!request.data) return;
  must_refuse(rh_prepare(redhost, &spec, &prepared, &error), words);
  ck_assert_ptr_null(prepared);
}

TEST(numbers_of_every_type) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    uint64_t one[2] = {0};
    memset(one, 0xff, rh_type_size(type));
    if (type == RH_TYPE_f16) one[0] = 0xc500;
    if (type == RH_TYPE_f32) memcpy(one, &(float){-5}, sizeof(float));
    if (type == RH_TYPE_f64) memcpy(one, &(double){-5}, sizeof(double));
    rh_request request = request_of("native", NULL, 1);
    request.op = "max";
    request.type = type;
    request.data = one;
    reduce(&request);
    double most = ldexp(1, 8 * (int)rh_type_size(type)) - (type == RH_TYPE_u64 ? 0 : 1);
    double expected = rh_type_is_float(type) ? -5 : rh_type_is_signed(type) ? -1 : most;
    ck_assert_double_eq(rh_result_number(&result), expected);
  }
  ck_assert_double_eq(rh_result_number(NULL), 0);
  ck_assert_str_eq(rh_status_name(RH_OK), "RH_OK");
  ck_assert_str_eq(rh_status_name(RH_DECLINED), "RH_DECLINED");
  ck_assert_str_eq(rh_status_name(RH_E_WRONG), "RH_E_WRONG");
  ck_assert_str_eq(rh_status_name(7), "unknown status");
}

TEST(how_far_away_the_exact_answer_is) {
  enum { SIZE = 1000 };
  float x[SIZE];
  double sum = 0; /* exact: multiples of 2^-20 */
  for (int k = 0; k < SIZE; k++) sum += x[k] = (float)(k * 7919 % 1013) / (1 << 20);
  rh_request request = {
      .struct_size = sizeof request, .op = "sum", .type = RH_TYPE_f32, .data = x, .n = SIZE};
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert(fabs(result.value.f - sum) <= result.bound && result.bound < sum / 1000);
  request.accuracy = RH_ACCURACY_EXACT;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert(fabs(result.value.f - sum) <= result.bound);
  ck_assert(result.bound == (nextafterf((float)sum, INFINITY) - (float)sum) / 2);
  request.accuracy = RH_ACCURACY_PLAIN;
  request.op = "max";
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert(result.bound == 0);
  /* A program of before has no place for it, and an unchecked answer has none. */
  request.unchecked = 1;
  result.bound = 7;
  must(rh_reduce(redhost, &request, &result, &error));
  ck_assert(result.bound == 7);
  request.unchecked = 0;
  result.struct_size = offsetof(rh_result, bound);
  must(rh_reduce(redhost, &request, &result, &error));
  ck_assert(result.bound == 7);
}

TEST(nulls_in_a_request) {
  static const rh_setting no_value = {"tile", NULL}, no_key = {NULL, "1"};
  static const rh_setting second[] = {{"tile", "64"}, {"finish", NULL}};
  rh_request request = request_of("cascade", NULL, N);
  reduce_null(request, "null");
  request.data = numbers;
  request.op = NULL;
  reduce_null(request, "operator '(null)'");
  request.op = "sum";
  request.type = 0;
  reduce_null(request, "type 0");
  request.type = RH_TYPE_i32;
  request.n_settings = 1;
  reduce_null(request, "settings is null");
  request.settings = &no_value;
  reduce_null(request, "settings[0]: its value is null");
  request.settings = &no_key;
  reduce_null(request, "settings[0]: its key is null");
  request.settings = second;
  request.n_settings = 2;
  reduce_null(request, "settings[1]: its value is null");
}

TEST(nulls_in_a_call) {
  rh_request request = request_of("serial", numbers, N);
  rh_request spec = request_for("serial", "sum", RH_TYPE_i32, NULL, N);
  rh_prepared *prepared;
  must_refuse(rh_open(NULL, NULL, &error), "null");
  must_refuse(rh_reduce(NULL, &request, spoilt(&result), &error), "rh_redhost is null");
  must_refuse(rh_reduce(redhost, NULL, spoilt(&result), &error), "request is null");
  must_refuse(rh_reduce(redhost, &request, NULL, &error), "result is null");
  must_refuse(rh_prepare(NULL, &spec, &prepared, &error), "rh_redhost is null");
  must_refuse(rh_prepare(redhost, NULL, &prepared, &error), "request is null");
  ck_assert_ptr_null(prepared);
  must_refuse(rh_prepare(redhost, &spec, NULL, &error), "rh_prepared is null");
  must_refuse(rh_prepared_run(NULL, numbers, N, spoilt(&result), &error), "rh_prepared is null");
  must_refuse(reduce_buffer(NULL, NULL, 0, N, spoilt(&result), &error), "rh_prepared is null");
  must_refuse(enqueue_buffer(NULL, NULL, 0, N, NULL, 0, &error), "rh_prepared is null");
  prepared = prepare(redhost, &spec);
  must_refuse(rh_prepared_run(prepared, numbers, N, NULL, &error), "result is null");
  must_refuse(rh_prepared_run(prepared, NULL, N, spoilt(&result), &error), "data is null");
  must_refuse(reduce_buffer(prepared, NULL, 0, N, NULL, &error), "result is null");
  ck_assert_int_eq(rh_prepared_run(prepared, numbers, N, &result, NULL), RH_OK);
  rh_prepared_decode(prepared, NULL, 1, &result);
  rh_prepared_decode(prepared, numbers, 1, NULL);
  rh_prepared_decode(NULL, numbers, 1, &result);
  ck_assert_uint_eq(rh_prepared_value_bytes(NULL), 0);
  rh_prepared_forget(NULL);
  rh_prepared_destroy(prepared);
  rh_prepared_destroy(NULL);
  rh_close(NULL);
}
