/* onepass under conditions that could break a counter of arrivals: many launches without a wait in
 * between, of changing sizes, on two queues of one device at once. */
#include "queue.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { QUEUES = 2, LAUNCHES = 1000, N = 200003 };

static cl_command_queue queues[QUEUES];
static rh_redhost *with[QUEUES];

static void set_up_queues(void) {
  cl_int code;
  set_up_queue();
  queues[0] = queue;
  with[0] = on_queue;
  queues[1] = clCreateCommandQueue(context, the_device()->id, 0, &code);
  must_cl(code);
  with[1] = open_on(queues[1], NULL);
}

static void tear_down_queues(void) {
  rh_close(with[1]);
  clReleaseCommandQueue(queues[1]);
  tear_down_queue();
}

/* Sizes and starts that change with every launch: one group, a few, the most; no elements. */
static uint64_t size_of(int launch) {
  static const uint64_t sizes[] = {N, 1, 4099, 0, 65536, 150001, 2, 8191};
  return sizes[launch % 8];
}
static uint64_t first_of(int launch) { return (uint64_t)launch * 7919 % (N - size_of(launch) + 1); }

static void check_all(const rh_prepared *prepared, cl_command_queue in, cl_mem values,
                      const int64_t *sums) {
  uint32_t size = rh_prepared_value_bytes(prepared);
  unsigned char *got = malloc((size_t)LAUNCHES * size);
  must_cl(clEnqueueReadBuffer(in, values, CL_TRUE, 0, (size_t)LAUNCHES * size, got, 0, NULL, NULL));
  for (int k = 0; k < LAUNCHES; k++) {
    rh_prepared_decode(prepared, got + (size_t)k * size, size_of(k), &result);
    int64_t right = sums[first_of(k) + size_of(k)] - sums[first_of(k)];
    ck_assert_msg(result.value.i == right, "launch %d, %llu elements from %llu: %lld, not %lld", k,
                  (unsigned long long)size_of(k), (unsigned long long)first_of(k),
                  (long long)result.value.i, (long long)right);
  }
  free(got);
}

static const char *const ways[] = {"auto", "last", "launch", "wait"};

CASES(onepass, .set_up = set_up_queues, .tear_down = tear_down_queues)

TEST_LOOP(launches_back_to_back, 0, 4) {
  static int32_t numbers[N];
  static int64_t sums[N + 1];
  const rh_setting settings[] = {{"finish", ways[_i]}, {"share", "1"}, {"group", "64"}};
  rh_request spec = SIZED(rh_request, .strategy = "onepass", .op = "sum", .type = RH_TYPE_i32,
                          .result_on_device = 1, .n = N, .settings = settings, .n_settings = 3);
  rh_prepared *prepared[QUEUES];
  cl_mem values[QUEUES];
  for (int k = 0; k < N; k++) {
    numbers[k] = (int32_t)((uint32_t)k * 2654435761u);
    sums[k + 1] = sums[k] + numbers[k];
  }
  cl_mem input = make_buffer(numbers, sizeof numbers);
  for (int q = 0; q < QUEUES; q++) {
    rh_status status = rh_prepare(with[q], &spec, &prepared[q], &error);
    if (status != RH_OK && strstr(error.message, "cannot see each other")) {
      clReleaseMemObject(input);
      return; /* not every device supports every way */
    }
    must(status);
    values[q] = make_buffer(NULL, (size_t)LAUNCHES * rh_prepared_value_bytes(prepared[q]));
  }
  for (int k = 0; k < LAUNCHES; k++)
    for (int q = 0; q < QUEUES; q++)
      must(enqueue_buffer(prepared[q], input, first_of(k), size_of(k), values[q], (uint64_t)k,
                          &error));
  for (int q = 0; q < QUEUES; q++) clFlush(queues[q]);
  for (int q = 0; q < QUEUES; q++) {
    check_all(prepared[q], queues[q], values[q], sums);
    rh_prepared_destroy(prepared[q]);
    clReleaseMemObject(values[q]);
  }
  clReleaseMemObject(input);
}

/* Float sums are combined by index, so their bits do not depend on the order of arrival. */
TEST_LOOP(same_bits_every_time, 0, 4) {
  static float numbers[N];
  const rh_setting settings[] = {{"finish", ways[_i]}, {"share", "1"}};
  rh_request spec = SIZED(rh_request, .strategy = "onepass", .op = "sum", .type = RH_TYPE_f32,
                          .data_on_device = 1, .n = N, .settings = settings, .n_settings = 2);
  rh_prepared *prepared;
  rh_result first = {.struct_size = sizeof first}, again = first;
  for (int k = 0; k < N; k++) numbers[k] = 1.0f / (float)(k + 1);
  rh_status status = rh_prepare(with[0], &spec, &prepared, &error);
  if (status != RH_OK && strstr(error.message, "cannot see each other")) return;
  must(status);
  BUFFER input = make_buffer(numbers, sizeof numbers);
  for (int k = 0; k < 200; k++) {
    must(reduce_buffer(prepared, input, 0, N, k ? &again : &first, &error));
    if (k > 0) ck_assert_double_eq(again.value.f, first.value.f);
  }
  rh_prepared_destroy(prepared);
}
