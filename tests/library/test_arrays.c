/* Arrays of the host that are streamed to a device with memory of its own: as if they had been
 * copied as a whole, and in the memory of the slots.  The device is made to look like one with its
 * own memory, and arrays of a few KiB like large ones. */
#include <pthread.h>

#include "../../host/library/library.h"
#include "../suite/real.h"
#include "library.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { CHUNK = 4096, WHOLE = 3 * CHUNK, MOST = 40 * CHUNK, ALL = MOST / 4 };
static float x[ALL];
static rh_result right; /* the sum of all of them */

/* ---- OpenCL's functions, interposed ---- */

static struct {
  int writes, fails_at;         /* copies so far; the one that fails, from 1; 0: none */
  int unmaps, unmap_fails_at;   /* as of copies: what they are where the memory is shared */
  int buffers, buffer_fails_at; /* from which on they fail */
  int is_unpinned;              /* 1: there is no pinned memory */
} calls;

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool waits, size_t at,
                            size_t bytes, const void *from, cl_uint n, const cl_event *events,
                            cl_event *event) {
  REAL(clEnqueueWriteBuffer);
  int k = __atomic_add_fetch(&calls.writes, 1, __ATOMIC_RELAXED);
  if (k == calls.fails_at) return CL_OUT_OF_RESOURCES;
  return real(queue, buffer, waits, at, bytes, from, n, events, event);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *memory, cl_uint n,
                               const cl_event *events, cl_event *event) {
  REAL(clEnqueueUnmapMemObject);
  int k = __atomic_add_fetch(&calls.unmaps, 1, __ATOMIC_RELAXED);
  if (k == calls.unmap_fails_at) return CL_OUT_OF_RESOURCES;
  return real(queue, buffer, memory, n, events, event);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *code) {
  REAL(clCreateBuffer);
  int k = __atomic_add_fetch(&calls.buffers, 1, __ATOMIC_RELAXED);
  int fails = (calls.buffer_fails_at && k >= calls.buffer_fails_at) ||
              (calls.is_unpinned && flags & CL_MEM_ALLOC_HOST_PTR);
  if (!fails) return real(context, flags, bytes, host, code);
  if (code) *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

/* ---- What all share ---- */

static rh_array generate(rh_type type, uint64_t n, uint64_t seed) {
  rh_array array;
  must(rh_array_generate(&array, "hash", seed, type, n, NULL, &error));
  return array;
}

/* Problems that were set up for whole arrays would serve again. */
static void forget(void) { rh_kept_finish(redhost); }

static uint64_t chunks_of(uint64_t n, uint32_t size) { return (n * size + CHUNK - 1) / CHUNK; }

static const char *const ops[] = {"sum", "prod", "asum", "min", "argmin", "argmax", "xor"};
enum { OPS = sizeof ops / sizeof *ops };

/* ---- Prepared ---- */

static rh_request sum_of(const float *data, uint64_t n) {
  return request_for("onepass", "sum", RH_TYPE_f32, data, n);
}

static rh_result whole_sum(uint64_t n) {
  rh_request request = sum_of(x, n);
  redhost->context->most_whole_bytes = UINT64_MAX;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  redhost->context->most_whole_bytes = WHOLE;
  forget();
  return result;
}

static void set_up_far(void) {
  set_up();
  the_device()->shares_memory = 0;
  redhost->context->chunk_bytes = CHUNK;
  rh_generate("hash", 5, RH_TYPE_f32, ALL, 0, ALL, x);
  right = whole_sum(ALL);
  memset(&calls, 0, sizeof calls);
}

static rh_prepared *prepare_all(void) {
  rh_request spec = sum_of(NULL, ALL);
  return prepare(redhost, &spec);
}

static void check_prepared(rh_prepared *of_all) {
  must(rh_prepared_run(of_all, x, ALL, spoilt(&result), &error));
  must_be_same(&result, &right, "sum");
}

static void check_reduced(const rh_request *request) {
  must(rh_reduce(redhost, request, spoilt(&result), &error));
  must_be_same(&result, &right, "sum");
}

CASES(far, .set_up = set_up_far, .tear_down = tear_down)

TEST(prepared) {
  OWNED(rh_prepared) of_all = prepare_all();
  const uint64_t sizes[] = {1, WHOLE / 4, WHOLE / 4 + 1, 20 * CHUNK / 4, ALL};
  for (int k = 0; k < 15; k++) {
    uint64_t n = sizes[k % 5];
    rh_result wanted = whole_sum(n);
    calls.writes = calls.buffers = 0;
    must(rh_prepared_run(of_all, x, n, spoilt(&result), &error));
    must_be_same(&result, &wanted, "sum");
    ck_assert_int_eq(calls.buffers, 0); /* nothing is allocated */
    ck_assert_int_eq(calls.writes, n > WHOLE / 4 ? (int)chunks_of(n, 4) : 1);
  }
}

TEST(prepared_with_constants) {
  const rh_input input = {.type = RH_TYPE_i32};
  const rh_constant first = {.name = "c", .value.i = 1}, second = {.name = "c", .value.i = -3};
  rh_request spec =
      SIZED(rh_request, .strategy = "cascade", .op = "sum", .map = "c*i + x - x", .inputs = &input,
            .n_inputs = 1, .constants = &first, .n_constants = 1, .n = ALL);
  FINISHED(rh_array) array = generate(RH_TYPE_i32, ALL, 5);
  const void *data = rh_array_data(&array);
  OWNED(rh_prepared) of_all = prepare(redhost, &spec);
  const uint64_t sizes[] = {ALL, 100, ALL - 9};
  for (int k = 0; k < 6; k++) {
    int64_t n = (int64_t)sizes[k % 3];
    must(rh_prepared_set_constants(of_all, k % 2 ? &second : &first, 1, &error));
    must(reduce_arrays(of_all, 1, &data, (uint64_t)n, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, (k % 2 ? -3 : 1) * (n * (n - 1) / 2));
  }
}

/* ---- Which arrays ---- */

/* Those that no buffer of the device holds, also of one that shares the host's memory. */
TEST_LOOP(beyond_the_device, 0, 2) {
  rh_request spec = sum_of(NULL, ALL), request = sum_of(x, ALL);
  redhost->context->most_whole_bytes = UINT64_MAX;
  the_device()->shares_memory = (uint32_t)_i;
  the_device()->about.max_alloc_bytes = 10 * CHUNK;
  rh_prepared *of_all = prepare(redhost, &spec);
  for (int k = 0; k < 2; k++) check_prepared(of_all);
  for (int k = 0; k < 2; k++) check_reduced(&request);
  right = whole_sum(100);
  must(rh_prepared_run(of_all, x, 100, spoilt(&result), &error));
  must_be_same(&result, &right, "sum");
  rh_prepared_destroy(of_all);
  spec.data_on_device = 1;
  redhost->context->options.queue = redhost->context->session.queue; /* as the caller's */
  must_fail(rh_prepare(redhost, &spec, &of_all, &error), RH_E_DEVICE, "in one buffer");
  redhost->context->options.queue = NULL;
}

/* In bytes of the larger one of two operands, whichever it is. */
TEST_LOOP(of_two_types, 0, 2) {
  static const rh_type types[] = {RH_TYPE_u8, RH_TYPE_f64};
  enum { FEW = 1 << 10 }; /* a power of two, up to which rh_reduce() sets up */
  FINISHED(rh_array) one = generate(types[_i], MOST / 8, 1);
  FINISHED(rh_array) other = generate(types[!_i], MOST / 8, 2);
  const void *data[] = {rh_array_data(&one), rh_array_data(&other)};
  const rh_input inputs[] = {{.type = types[_i], .data = data[0]},
                             {.type = types[!_i], .data = data[1]}};
  rh_request request = SIZED(rh_request, .strategy = "onepass", .op = "sum", .map = "x*y",
                             .inputs = inputs, .n_inputs = 2, .unchecked = 1);
  rh_request spec = SIZED(rh_request, .strategy = "onepass", .op = "sum", .map = "x*y",
                          .inputs = inputs, .n_inputs = 2, .n = MOST / 8);
  redhost->context->most_whole_bytes = 8 * FEW;
  OWNED(rh_prepared) of_all = prepare(redhost, &spec);
  for (uint64_t k = 0; k < 2; k++) {
    int copies = k ? (int)chunks_of(FEW + 1, 8) : 2; /* a chunk has both operands */
    request.n = FEW + k;
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    for (int is_prepared = 0; is_prepared < 2; is_prepared++) {
      calls.writes = 0;
      if (is_prepared) must(reduce_arrays(of_all, 2, data, request.n, spoilt(&result), &error));
      else must(rh_reduce(redhost, &request, spoilt(&result), &error));
      ck_assert_msg(calls.writes == copies, "%d copies of %d, %s", calls.writes, copies,
                    is_prepared ? "prepared" : "not prepared");
    }
  }
}

/* Chunks would change the bits of a strategy without the canonical order, so its arrays stay whole;
 * those of integers do not. */
TEST(of_another_order) {
  rh_request request = request_for("atomic", "sum", RH_TYPE_f32, x, ALL);
  request.unchecked = 1;
  for (int k = 0; k < 2; k++) {
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    calls.writes = 0;
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    ck_assert_int_eq(calls.writes, k ? (int)chunks_of(ALL, 4) : 1);
    request.type = RH_TYPE_i32;
  }
}

/* Slots are pinned once for all problems, and as many whatever the size. */
TEST(one_set_of_slots) {
  rh_request request = request_for("onepass", NULL, RH_TYPE_i32, x, 0);
  const void *memory = NULL;
  for (int k = 0; k < 12; k++) {
    request.op = ops[k % OPS];
    request.n = k % 2 ? ALL : WHOLE / 4 + 100;
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    const rh_staging *slots = &redhost->kept.staging;
    if (!memory) memory = slots->memory[0];
    ck_assert_ptr_eq(slots->memory[0], memory);
    ck_assert_uint_eq(slots->bytes, CHUNK);
  }
}

/* ---- Failures ---- */

static char said[4096];
static int cancels_after = -1;

static void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  (void)level;
  snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

static int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
  (void)user;
  (void)done;
  (void)total;
  return strcmp(phase, "streaming") == 0 && cancels_after-- == 0;
}

TEST(without_pinned_memory) {
  redhost->context->options.reporter.log = on_log;
  calls.is_unpinned = 1;
  OWNED(rh_prepared) of_all = prepare_all();
  assert_says(said, "copies go from pageable memory: ");
  check_prepared(of_all);
}

/* Each copy in turn, and each buffer: a sentence, and the next call is as if nothing had been. */
TEST(copies_that_fail) {
  OWNED(rh_prepared) of_all = prepare_all();
  rh_request request = sum_of(x, ALL);
  request.unchecked = 1;
  for (int k = 1; k <= MOST / CHUNK; k += 13) {
    calls.writes = 0;
    calls.fails_at = k;
    must_fail(rh_prepared_run(of_all, x, ALL, &result, &error), RH_E_CL, "copying a chunk");
    calls.fails_at = 0;
    check_prepared(of_all);
    must(rh_reduce(redhost, &request, spoilt(&result), &error)); /* set up */
    calls.writes = 0;
    calls.fails_at = k;
    must_fail(rh_reduce(redhost, &request, &result, &error), RH_E_CL, "copying a chunk");
    calls.fails_at = 0;
    check_reduced(&request);
  }
}

/* The same where the device reads the slots themselves: a failed run leaves it some of them, which
 * the next run has to take back. */
TEST(slots_that_a_failed_run_left) {
  the_device()->shares_memory = 1;
  the_device()->about.max_alloc_bytes = 10 * CHUNK;
  OWNED(rh_prepared) of_all = prepare_all();
  for (int k = 1; k <= MOST / CHUNK; k += 13) {
    calls.unmaps = 0;
    calls.unmap_fails_at = k;
    must_fail(rh_prepared_run(of_all, x, ALL, &result, &error), RH_E_CL, "copying a chunk");
    calls.unmap_fails_at = 0;
    check_prepared(of_all);
  }
}

TEST(buffers_that_fail) {
  rh_request request = sum_of(x, ALL);
  request.unchecked = 1;
  int failed = 1, failures = 0;
  for (int k = 1; failed; k++) {
    forget();
    calls.buffers = 0;
    calls.buffer_fails_at = k;
    rh_status status = rh_reduce(redhost, &request, spoilt(&result), &error);
    failed = calls.buffers >= k;
    failures += status != RH_OK;
    if (status != RH_OK) ck_assert_msg(status == RH_E_DEVICE, "%d: %s", status, error.message);
    calls.buffer_fails_at = 0;
    check_reduced(&request);
  }
  ck_assert_int_gt(failures, 5);
}

TEST(cancelled) {
  redhost->context->options.reporter.progress = on_progress;
  OWNED(rh_prepared) of_all = prepare_all();
  for (int k = 0; k < 2; k++) {
    cancels_after = 0;
    must_fail(rh_prepared_run(of_all, x, ALL, &result, &error), RH_E_CANCELLED, "");
    cancels_after = -1;
    check_prepared(of_all);
  }
}

/* ---- Copies as a whole ---- */

enum { STAGED = (20 << 20) + 5 }; /* more than all pieces of two threads */

static unsigned char *make_bytes(void) {
  unsigned char *bytes = malloc(STAGED);
  ck_assert_ptr_nonnull(bytes);
  for (uint32_t k = 0; k < STAGED; k++) bytes[k] = (unsigned char)(k * 2654435761u >> 24);
  return bytes;
}

static cl_mem make_buffer(rh_cl_session **session) {
  cl_int code;
  must(rh_context_session(redhost->context, session, &error));
  cl_mem buffer = clCreateBuffer((*session)->context, CL_MEM_READ_WRITE, STAGED, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  return buffer;
}

TEST(staged) {
  rh_cl_session *session;
  unsigned char *bytes = make_bytes(), *back = malloc(STAGED);
  cl_mem buffer = make_buffer(&session);
  calls.writes = 0;
  must(rh_cl_stage(session, buffer, bytes, STAGED, &error));
  ck_assert_int_eq(calls.writes, 6);
  ck_assert_int_eq(
      clEnqueueReadBuffer(session->queue, buffer, CL_TRUE, 0, STAGED, back, 0, NULL, NULL),
      CL_SUCCESS);
  ck_assert(back && memcmp(bytes, back, STAGED) == 0);
  for (int k = 1; k <= 6; k++) {
    calls.writes = 0;
    calls.fails_at = k;
    must_fail(rh_cl_stage(session, buffer, bytes, STAGED, &error), RH_E_DEVICE, "memory");
    calls.fails_at = 0;
    must(rh_cl_stage(session, buffer, bytes, STAGED, &error));
  }
  calls.is_unpinned = 1;
  ck_assert_int_eq(rh_cl_stage(session, buffer, bytes, STAGED, &error), RH_DECLINED);
  clReleaseMemObject(buffer);
  free(bytes);
  free(back);
}

/* Of a strategy whose arrays are not streamed. */
TEST(staged_arrays) {
  uint64_t n = RH_CL_STAGED_BYTES / sizeof(float) + 11;
  float *large = calloc(n, sizeof *large);
  ck_assert_ptr_nonnull(large);
  large[n - 1] = 2;
  large[0] = large[n / 2] = 1;
  rh_request request = request_for("atomic", "sum", RH_TYPE_f32, large, n);
  request.unchecked = 1;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert(result.value.f == 4);
  ck_assert_int_eq(calls.writes, RH_CL_STAGED_BYTES / (4 << 20) + 1);
  free(large);
}

/* ---- Threads ---- */

typedef struct work {
  rh_prepared *prepared; /* null: rh_reduce() */
  int wrong;
} work;

static void *reduce_often(void *of_work) {
  work *w = of_work;
  rh_request request = sum_of(x, ALL);
  request.unchecked = 1;
  for (int k = 0; k < 20; k++) {
    rh_error why;
    rh_result found = {.struct_size = sizeof found};
    rh_status status = w->prepared ? rh_prepared_run(w->prepared, x, ALL, &found, &why)
                                   : rh_reduce(redhost, &request, &found, &why);
    w->wrong += status != RH_OK || found.value.u != right.value.u;
  }
  return NULL;
}

TEST(at_the_same_time) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  work all[THREADS] = {0};
  for (int k = 0; k < 2; k++) all[k].prepared = prepare_all();
  for (int k = 0; k < THREADS; k++)
    ck_assert_int_eq(pthread_create(&threads[k], NULL, reduce_often, &all[k]), 0);
  for (int k = 0; k < THREADS; k++) {
    pthread_join(threads[k], NULL);
    ck_assert_int_eq(all[k].wrong, 0);
    rh_prepared_destroy(all[k].prepared);
  }
}
