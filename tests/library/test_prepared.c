/* rh_prepare() and the rh_prepared functions. */
#include "../../host/choose/choose.h"
#include "queue.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { N = 10007 };

/* ---- What is refused ---- */

CASES(plain, .set_up = set_up, .tear_down = tear_down)

TEST(names_are_checked) {
  const rh_setting setting = {"no_such", "1"};
  const struct {
    rh_request spec;
    rh_status status;
    const char *words;
  } cases[] = {
      {{.op = "xor", .type = RH_TYPE_f32, .n = 1}, RH_E_USAGE, "not defined"},
      {{.strategy = "serail", .op = "sum", .type = RH_TYPE_f32, .n = 1}, RH_E_USAGE, "serail"},
      {{.strategy = "cascade",
        .op = "sum",
        .type = RH_TYPE_f32,
        .n = 1,
        .settings = &setting,
        .n_settings = 1},
       RH_E_USAGE,
       "no_such"},
      {{.strategy = "cascade", .op = "sum", .type = RH_TYPE_f64, .n = UINT64_MAX},
       RH_E_DEVICE,
       "2^64"},
      {{.op = "sum", .type = RH_TYPE_f32, .n = 1, .accuracy = 2},
       RH_E_USAGE,
       "rh_request.accuracy"},
      {{.strategy = "native",
        .op = "sum",
        .type = RH_TYPE_f32,
        .n = 1,
        .accuracy = RH_ACCURACY_EXACT},
       RH_DECLINED,
       "does not round 'sum' once"},
      {{.op = "sum", .type = RH_TYPE_i32, .n = 1, .data_on_device = 1},
       RH_E_USAGE,
       "data_on_device"},
      {{.op = "sum", .type = RH_TYPE_i32, .n = 1, .result_on_device = 1},
       RH_E_USAGE,
       "result_on_device"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    rh_prepared *prepared = (rh_prepared *)&cases;
    rh_request spec = cases[k].spec;
    spec.struct_size = sizeof spec;
    must_fail(rh_prepare(redhost, &spec, &prepared, &error), cases[k].status, cases[k].words);
    ck_assert_ptr_null(prepared);
  }
  rh_prepared_destroy(NULL);
  rh_prepared_forget(NULL);
}

TEST(data_is_checked) {
  _Alignas(8) char bytes[64] = {0};
  for (int k = 0; k < 2; k++) {
    rh_request spec = request_for(k ? "cascade" : "serial", "min", RH_TYPE_i32, NULL, 0);
    spec.n = 8;
    OWNED(rh_prepared) prepared = prepare(redhost, &spec);
    must_refuse(rh_prepared_run(prepared, bytes, 9, &result, &error), "prepared for 8");
    must_refuse(rh_prepared_run(prepared, NULL, 8, &result, &error), "null");
    must_refuse(rh_prepared_run(prepared, bytes + 2, 8, &result, &error), "aligned");
    must_refuse(rh_prepared_run(prepared, NULL, 0, &result, &error), "empty array");
    must_refuse(reduce_buffer(prepared, NULL, 0, 1, &result, &error),
                k ? "rh_options.queue is null" : "reads no buffer");
    must(rh_prepared_run(prepared, bytes, 8, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, 0);
    /* A null rh_error is allowed. */
    ck_assert_int_eq(rh_prepared_run(prepared, bytes, 9, &result, NULL), RH_E_USAGE);
  }
}

TEST_LOOP(calls_are_checked, 0, 2) {
  static int32_t numbers[N];
  static const uint64_t zero = 0;
  const void *arrays[] = {numbers}, *null[] = {NULL}, *odd[] = {(const char *)numbers + 2};
  struct _cl_mem *buffers[] = {NULL};
  const struct {
    rh_call_spec call;
    const char *words;
  } cases[] = {
      {{.n = 8}, "neither arrays nor buffers are set"},
      {{.arrays = arrays, .buffers = buffers, .n = 8}, "both arrays and buffers are set"},
      {{.arrays = arrays, .values = (struct _cl_mem *)numbers, .n = 8}, "rh_call_spec.values"},
      {{.arrays = arrays, .n_operands = 2, .n = 8}, "1 operand, and the call brings 2"},
      {{.arrays = arrays, .n = N + 1}, "prepared for"},
      {{.arrays = null, .n = 8}, "null"},
      {{.arrays = null, .first = &zero, .n = 8}, "null"},
      {{.arrays = odd, .n = 8}, "aligned"},
      {{.buffers = buffers, .n = 8}, "reads no buffer"},
  };
  const rh_request spec = request_for(_i ? "native" : "serial", "sum", RH_TYPE_i32, NULL, N);
  OWNED(rh_prepared) prepared = prepare(redhost, &spec);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    rh_call_spec call = cases[k].call;
    call.struct_size = sizeof call;
    must_refuse(rh_prepared_call(prepared, &call, &result, &error), cases[k].words);
  }
  must_refuse(rh_prepared_call(prepared, NULL, &result, &error), "rh_call_spec is null");
  must_refuse(reduce_arrays(prepared, 1, arrays, 8, NULL, &error), "result is null");
  must(reduce_arrays(prepared, 0, arrays, 8, spoilt(&result), &error));
  must(reduce_arrays(prepared, 1, null, 0, spoilt(&result), &error));
}

TEST(wrong_strategy_is_caught) {
  rh_redhost *zoo = open_on(NULL, "results/drops_last");
  rh_request spec = request_for("drops_last", "sum", RH_TYPE_i32, NULL, N);
  rh_prepared *prepared;
  must_fail(rh_prepare(zoo, &spec, &prepared, &error), RH_E_WRONG, "self-test");
  ck_assert_ptr_null(prepared);
  rh_close(zoo);
}

/* On the fast path of a call, and what must not take it. */
TEST(a_run_that_fails) {
  rh_redhost *zoo = open_on(NULL, "loading/dislikes_seven");
  rh_request spec = request_for("dislikes_seven", "sum", RH_TYPE_i32, NULL, 3);
  rh_prepared *prepared = prepare(zoo, &spec);
  for (int round = 0; round < 2; round++) {
    int32_t data[] = {1, 2, 3};
    must(rh_prepared_run(prepared, data, 3, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, 6);
    ck_assert_str_eq(result.strategy, "dislikes_seven");
    data[0] = 7;
    must_fail(rh_prepared_run(prepared, data, 3, &result, &error), RH_E_INVALID,
              "strategy 'dislikes_seven', run: the first byte is 7");
    ck_assert_int_eq(rh_prepared_run(prepared, data, 3, &result, NULL), RH_E_INVALID);
    data[0] = 8;
    must_fail(rh_prepared_run(prepared, data, 3, &result, &error), RH_E_NOMEM,
              "the plugin gave no reason");
    ck_assert_int_eq(result.value.i, 6);
    must(rh_prepared_run(prepared, data, 0, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, 0);
    must_refuse(rh_prepared_run(prepared, data, 4, &result, &error), "prepared for 3");
  }
  rh_prepared_destroy(prepared);
  rh_close(zoo);
}

/* ---- Host memory ---- */

static void one_array_after_another(void) {
  enum { LEAST = 100, MOST = 3 * 4096 };
  rh_request spec = request_for("cascade", "sum", RH_TYPE_i32, NULL, MOST);
  rh_prepared *prepared = prepare(redhost, &spec);
  int32_t *x = malloc(MOST * sizeof *x), *y = malloc(MOST * sizeof *y);
  for (int k = 0; k < MOST; k++) {
    x[k] = 1;
    y[k] = 2;
  }
  must(rh_prepared_run(prepared, x, LEAST, spoilt(&result), &error));
  ck_assert_int_eq(result.value.i, LEAST);
  must(rh_prepared_run(prepared, x, MOST, spoilt(&result), &error)); /* more of it */
  ck_assert_int_eq(result.value.i, MOST);
  must(rh_prepared_run(prepared, x + 17, LEAST, spoilt(&result), &error)); /* a part of it */
  ck_assert_int_eq(result.value.i, LEAST);
  x[17] = 1001; /* something else in it */
  must(rh_prepared_run(prepared, x + 17, LEAST, spoilt(&result), &error));
  ck_assert_int_eq(result.value.i, LEAST + 1000);
  must(rh_prepared_run(prepared, y, MOST, spoilt(&result), &error)); /* another */
  ck_assert_int_eq(result.value.i, 2 * MOST);
  rh_prepared_forget(prepared);
  free(y);
  must(rh_prepared_run(prepared, x, MOST, spoilt(&result), &error));
  ck_assert_int_eq(result.value.i, MOST + 1000);
  rh_prepared_destroy(prepared);
  free(x);
}

TEST(arrays_of_the_host) { one_array_after_another(); }

/* The device is made to look like one with its own memory, or one that may cache the host's
 * memory. */
TEST(memory_of_its_own) {
  the_device()->shares_memory = 0;
  one_array_after_another();
}

TEST(memory_nearly_the_hosts) {
  the_device()->shares_memory = 1;
  the_device()->about.kind = RH_DEVICE_GPU;
  one_array_after_another();
}

/* The array fits, but not the bytes before it in its page. */
TEST(too_large_by_its_page) {
  rh_cl_device *device = the_device();
  enum { MOST = 1 << 20 };
  device->shares_memory = 1;
  rh_request spec = request_for("cascade", "sum", RH_TYPE_i32, NULL, MOST);
  rh_prepared *prepared = prepare(redhost, &spec);
  device->about.max_alloc_bytes = MOST * sizeof(int32_t);
  int32_t *x = malloc((MOST + 1) * sizeof *x);
  for (int k = 0; k <= MOST; k++) x[k] = 1;
  for (int k = 0; k < 3; k++) {
    x[1] = k;
    must(rh_prepared_run(prepared, x + 1, MOST, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, MOST - 1 + k);
  }
  rh_prepared_destroy(prepared);
  free(x);
}

/* ---- The caller's queue and buffers ---- */

static int32_t numbers[N];

static void fill_numbers(void) {
  for (int k = 0; k < N; k++) numbers[k] = (int32_t)((uint32_t)k * 2654435761u);
}

ONCE(fill_numbers, NULL)

CASES(queue, .set_up = set_up_queue, .tear_down = tear_down_queue)

TEST_LOOP(buffers_of_the_caller, 0, 2) {
  static const char *const ops[] = {"sum", "argmax", "xor"};
  rh_setting finish = {"finish", _i ? "device" : "host"};
  BUFFER buffer = make_buffer(numbers, sizeof numbers);
  for (int o = 0; o < 3; o++) {
    rh_request spec = SIZED(rh_request, .strategy = "cascade", .op = ops[o], .type = RH_TYPE_i32,
                            .n = N, .data_on_device = 1, .settings = &finish, .n_settings = 1);
    OWNED(rh_prepared) prepared = prepare(on_queue, &spec);
    for (uint64_t first = 0; first < N; first += 1 + N / 5)
      for (uint64_t n = 1; n <= N - first;
           n = n < N - first && 7 * n > N - first ? N - first : 7 * n) {
        rh_result right = expected(ops[o], RH_TYPE_i32, numbers + first, n);
        must(reduce_buffer(prepared, buffer, first, n, spoilt(&result), &error));
        must_be_same(&result, &right, ops[o]);
      }
    must_refuse(rh_prepared_run(prepared, numbers, N, &result, &error), "data_on_device");
    must_refuse(reduce_buffer(prepared, buffer, 0, N + 1, &result, &error), "prepared for");
    must_refuse(enqueue_buffer(prepared, buffer, 0, N, buffer, 0, &error), "result_on_device");
  }
}

/* An upload that takes a second. */
static void count_upload(rh_redhost *with) {
  rh_tunedb *tuned;
  must(rh_context_tuned(with->context, &tuned, &error));
  for (uint64_t bytes = 4096; bytes <= 32u << 20; bytes <<= 13) {
    rh_tunedb_entry entry = {.strategy = "upload",
                             .plugin = UINT64_C(0x2d75706c6f61642d),
                             .op = rh_operator_builtin(RH_OP_sum, RH_TYPE_u8),
                             .n = bytes,
                             .time_s = 1,
                             .trial = 1};
    must(rh_tunedb_put(tuned, &entry, &error));
  }
}

/* With the caller's queue, a prepared reduction serves buffers, too, however long an upload takes;
 * without, it may run on the host. */
TEST(buffers_may_follow) {
  rh_request spec = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = N);
  const rh_cl_device *device;
  BUFFER buffer = make_buffer(numbers, sizeof numbers);
  must(rh_context_device(on_queue->context, &device, &error));
  ((rh_cl_device *)device)->shares_memory = the_device()->shares_memory = 0;
  count_upload(on_queue);
  count_upload(redhost);
  rh_prepared *prepared = prepare(on_queue, &spec);
  must(reduce_buffer(prepared, buffer, 0, N, spoilt(&result), &error));
  must(rh_prepared_run(prepared, numbers, N, spoilt(&result), &error));
  rh_prepared_destroy(prepared);
  ck_assert_ptr_null(strstr(on_queue->context->chosen, "upload"));
  rh_prepared_destroy(prepare(redhost, &spec));
}

TEST(in_turn_with_the_callers_commands) {
  rh_request spec =
      SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = N, .data_on_device = 1);
  OWNED(rh_prepared) prepared = prepare(on_queue, &spec);
  BUFFER buffer = make_buffer(NULL, sizeof numbers);
  for (int32_t k = 0; k < 10; k++) {
    must_cl(clEnqueueFillBuffer(queue, buffer, &k, sizeof k, 0, sizeof numbers, 0, NULL, NULL));
    must(reduce_buffer(prepared, buffer, 7, N - 7, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, k * (N - 7));
  }
}

/* A driver may reuse the address of the previous object. */
TEST(buffers_come_and_go) {
  rh_request spec = request_for("cascade", "sum", RH_TYPE_i32, NULL, 1000);
  const rh_setting finish = {"finish", "device"};
  spec.result_on_device = 1;
  spec.settings = &finish;
  spec.n_settings = 1;
  OWNED(rh_prepared) prepared = prepare(on_queue, &spec);
  for (int round = 0; round < 50; round++) {
    BUFFER buffer = make_buffer(numbers + round, 1000 * sizeof *numbers);
    BUFFER values = make_buffer(NULL, 4 * rh_prepared_value_bytes(prepared));
    rh_result right = expected("sum", RH_TYPE_i32, numbers + round, 1000);
    uint64_t value = 0;
    must(reduce_buffer(prepared, buffer, 0, 1000, spoilt(&result), &error));
    must_be_same(&result, &right, "run");
    must(enqueue_buffer(prepared, buffer, 0, 1000, values, 1, &error));
    must_cl(clEnqueueReadBuffer(queue, values, CL_TRUE, 8, 8, &value, 0, NULL, NULL));
    rh_prepared_decode(prepared, &value, 1000, &result);
    must_be_same(&result, &right, "enqueue");
  }
}

/* Of the place: a strategy that runs, or finishes, on the host. */
TEST(strategies_that_leave_the_device) {
  rh_prepared *prepared;
  rh_request spec = request_for("serial", "sum", RH_TYPE_i32, NULL, 1);
  spec.data_on_device = 1;
  must_fail(rh_prepare(on_queue, &spec, &prepared, &error), RH_DECLINED, "on the host");
  spec.strategy = "cascade";
  spec.result_on_device = 1;
  must_fail(rh_prepare(on_queue, &spec, &prepared, &error), RH_DECLINED, "finish=device");
}

static cl_mem part_of(cl_mem buffer, size_t from, size_t bytes) {
  cl_int code;
  const cl_buffer_region region = {from, bytes};
  cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  must_cl(code);
  return part;
}

/* Of each type: ranges that end with the buffer, or one element behind it; the values, too. */
TEST_LOOP(buffers_are_checked, 0, 4) {
  static const rh_type types[] = {RH_TYPE_i8, RH_TYPE_u16, RH_TYPE_f32, RH_TYPE_i64};
  cl_int code;
  cl_device_id id = the_device()->id;
  cl_context another = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  cl_mem whole = make_buffer(numbers, sizeof numbers), part = part_of(whole, 4096, 4096);
  cl_mem strange = make_buffer_in(another, 0, numbers, sizeof numbers);
  cl_mem unreadable = make_buffer_in(context, CL_MEM_WRITE_ONLY, NULL, sizeof numbers);
  cl_mem unwritable = make_buffer_in(context, CL_MEM_READ_ONLY, NULL, sizeof numbers);
  rh_request spec = request_for(NULL, "sum", types[_i], NULL, UINT64_C(1) << 20);
  spec.result_on_device = 1;
  rh_prepared *p = prepare(on_queue, &spec);
  uint64_t n = 4096 / rh_type_size(types[_i]), room = 4096 / rh_prepared_value_bytes(p);
  const struct {
    cl_mem buffer, values;
    uint64_t first, n, index;
    const char *words;
  } cases[] = {
      {part, part, 0, n + 1, 0, "too few"},
      {part, part, n, 1, 0, "too few"},
      {part, part, 1, n, 0, "too few"},
      {part, part, UINT64_MAX, 2, 0, "too few"},
      {part, part, UINT64_MAX / 4 + 1, 1, 0, "too few"},
      {strange, part, 0, 1, 0, "another OpenCL context"},
      {unreadable, part, 0, 1, 0, "WRITE_ONLY"},
      {NULL, part, 0, 1, 0, "is null"},
      {part, NULL, 0, 1, 0, "the place for the result is null"},
      {part, strange, 0, 1, 0, "another OpenCL context"},
      {part, unwritable, 0, 1, 0, "READ_ONLY"},
      {part, part, 0, 1, room, "the buffer for the values has 4096 B"},
      {part, part, 0, 1, UINT64_MAX, "too few"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    must_refuse(enqueue_buffer(p, cases[k].buffer, cases[k].first, cases[k].n, cases[k].values,
                               cases[k].index, &error),
                cases[k].words);
    if (cases[k].buffer == part && cases[k].first + cases[k].n == 1) continue;
    must_refuse(reduce_buffer(p, cases[k].buffer, cases[k].first, cases[k].n, &result, &error),
                cases[k].words);
  }
  must(reduce_buffer(p, part, n - 1, 1, spoilt(&result), &error));
  must(reduce_buffer(p, part, 0, n, spoilt(&result), &error));
  must(enqueue_buffer(p, whole, 0, n, part, room - 1, &error));
  must_cl(clFinish(queue));
  rh_prepared_destroy(p);
  cl_mem all[] = {part, whole, strange, unreadable, unwritable};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) clReleaseMemObject(all[k]);
  clReleaseContext(another);
}

/* A shorter buffer may have the address of one that was released. */
TEST(each_buffer_is_asked) {
  rh_request spec = request_for("cascade", "sum", RH_TYPE_i32, NULL, N);
  OWNED(rh_prepared) p = prepare(on_queue, &spec);
  for (int round = 0; round < 20; round++) {
    BUFFER buffer = make_buffer(numbers, sizeof numbers - (round % 2 ? sizeof *numbers : 0));
    if (round % 2) must_refuse(reduce_buffer(p, buffer, 0, N, &result, &error), "too few");
    else must(reduce_buffer(p, buffer, 0, N, spoilt(&result), &error));
  }
}

/* Several calls before any wait: each result in its place, and nothing next to it changes. */
TEST_LOOP(results_stay_on_the_device, 0, 3) {
  enum { PLACES = 6 };
  static const char *const ops[] = {"argmin", "max", "sum"};
  rh_request spec = request_for(NULL, ops[_i], RH_TYPE_i32, NULL, N);
  spec.result_on_device = 1;
  OWNED(rh_prepared) prepared = prepare(on_queue, &spec);
  uint32_t size = rh_prepared_value_bytes(prepared);
  unsigned char got[PLACES * 16], poison[PLACES * 16];
  memset(poison, 0xAA, sizeof poison);
  BUFFER buffer = make_buffer(numbers, sizeof numbers);
  BUFFER values = make_buffer(poison, PLACES * size);
  for (uint64_t k = 1; k < PLACES - 1; k++)
    must(enqueue_buffer(prepared, buffer, k, N - 1000 * k, values, k, &error));
  must_cl(clEnqueueReadBuffer(queue, values, CL_TRUE, 0, PLACES * size, got, 0, NULL, NULL));
  for (uint64_t k = 1; k < PLACES - 1; k++) {
    rh_result right = expected(ops[_i], RH_TYPE_i32, numbers + k, N - 1000 * k);
    rh_prepared_decode(prepared, got + k * size, N - 1000 * k, &result);
    must_be_same(&result, &right, ops[_i]);
  }
  ck_assert_int_eq(memcmp(got, poison, size), 0);
  ck_assert_int_eq(memcmp(got + (PLACES - 1) * size, poison, size), 0);
  must_refuse(enqueue_buffer(prepared, buffer, 0, 1, NULL, 0, &error), "null");
}

/* The queue is invalid for one call: drivers differ in what else they check. */
TEST_LOOP(failure_in_the_middle, 0, 2) {
  static const char *const names[] = {"cascade", "two_stage"};
  BUFFER buffer = make_buffer(numbers, sizeof numbers);
  rh_request spec = request_for(names[_i], "sum", RH_TYPE_i32, NULL, N);
  OWNED(rh_prepared) prepared = prepare(on_queue, &spec);
  rh_result right = expected("sum", RH_TYPE_i32, numbers, N);
  for (int k = 0; k < 3; k++) {
    on_queue->context->session.queue = NULL;
    must_fail(reduce_buffer(prepared, buffer, 0, N, &result, &error), RH_E_CL, names[_i]);
    /* A device with its own memory fails before it reaches the strategy. */
    must_fail(rh_prepared_run(prepared, numbers, N, &result, &error), RH_E_CL, "QUEUE");
    on_queue->context->session.queue = queue;
    must(reduce_buffer(prepared, buffer, 0, N - 1, spoilt(&result), &error));
    must(reduce_buffer(prepared, buffer, 0, N, spoilt(&result), &error));
    must_be_same(&result, &right, "buffer");
    must(rh_prepared_run(prepared, numbers, N, spoilt(&result), &error));
    must_be_same(&result, &right, "array");
  }
}

TEST(unfit_queues) {
  cl_int code;
  rh_redhost *opened;
  rh_options both = SIZED(rh_options, .device = "cpu", .queue = queue);
  must_refuse(rh_open(&opened, &both, &error), "queue");
  cl_command_queue unordered = clCreateCommandQueue(context, the_device()->id,
                                                    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) return; /* a device without */
  rh_request spec = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = N);
  rh_prepared *prepared;
  opened = open_on(unordered, NULL);
  must_refuse(rh_prepare(opened, &spec, &prepared, &error), "out of order");
  rh_close(opened);
  clReleaseCommandQueue(unordered);
}

/* rh_reduce() works there too. */
TEST(reduce_on_the_callers_queue) {
  rh_request request = request_for("cascade", "sum", RH_TYPE_i32, numbers, 0);
  rh_result right = expected("sum", RH_TYPE_i32, numbers, N);
  request.n = N;
  must(rh_reduce(on_queue, &request, spoilt(&result), &error));
  must_be_same(&result, &right, "sum");
}

CASES(bounds, .set_up = set_up, .tear_down = tear_down)

/* Refused before anything is read, also where the range wraps. */
TEST(more_than_all_memory) {
  static double some[16];
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    uint64_t size = rh_type_size(type), all = UINT64_C(1) << 63;
    const uint64_t many[] = {UINT64_MAX,
                             all,
                             all - 1,
                             UINT64_MAX / size,
                             (UINT64_MAX - (uintptr_t)some) / size + 1,
                             all / size,
                             all / 2 / size};
    rh_request spec = request_for("native", "min", type, NULL, 16);
    rh_prepared *prepared = prepare(redhost, &spec), *none;
    rh_request request = request_for("native", "min", type, some, 0);
    rh_communicator alone = SIZED(rh_communicator, .size = 1);
    for (size_t k = 0; k < sizeof many / sizeof *many; k++) {
      request.n = many[k];
      must_refuse(rh_reduce(redhost, &request, &result, &error), "elements of");
      must_refuse(rh_reduce_distributed(redhost, &request, &alone, &result, &error), "elements of");
      must_refuse(rh_prepared_run(prepared, some, many[k], &result, &error), "prepared for 16");
      spec.n = many[k];
      must_fail(rh_prepare(redhost, &spec, &none, &error), RH_E_DEVICE, "this machine has");
    }
    rh_prepared_destroy(prepared);
  }
}
