/* Structs that carry their size: the outcome of each size that a caller may set. */
#include "../../host/library/library.h"
#include "library.h"

enum { N = 100 };
static int32_t numbers[N];

/* A struct with room after it for fields of a later version. */
#define LONGER(T)                                                                                  \
  union {                                                                                          \
    T now;                                                                                         \
    unsigned char bytes[sizeof(T) + 64];                                                           \
  }

static void set_up_numbers(void) {
  for (int k = 0; k < N; k++) numbers[k] = k;
  set_up();
}

/* ---- Any struct: one that has grown from 16 to 32 bytes ---- */

typedef struct grown {
  uint32_t struct_size, first;
  uint64_t second;
  uint64_t third, fourth; /* appended */
} grown;

#define GROWN RH_SIZED(grown, second)

TEST(sizes_that_are_read) {
  static const struct {
    uint32_t size;
    int last; /* set the last byte of it */
    const char *words;
  } cases[] = {
      {0, 0, "grown.struct_size is 0; set it to sizeof(grown), which is 32"},
      {4, 0, "grown.struct_size is 4;"},
      {15, 0, "grown.struct_size is 15;"},
      {16, 1, NULL},
      {20, 1, NULL},
      {24, 1, NULL},
      {31, 1, NULL},
      {32, 1, NULL},
      {33, 0, NULL},
      {33, 1, "grown.struct_size is 33, and a field beyond the 32 bytes that redhost"},
      {48, 0, NULL},
      {48, 1, "later version"},
      {4096, 0, NULL},
      {4096, 1, "later version"},
      {4097, 0, "grown.struct_size is 4097;"},
      {UINT32_MAX, 0, "grown.struct_size is 4294967295;"},
  };
  _Alignas(8) static unsigned char given[5000], own[sizeof(grown) + 1];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    uint32_t size = cases[k].size, known = size < sizeof(grown) ? size : sizeof(grown);
    memset(given, 0, sizeof given);
    memset(given + 4, 7, 12); /* the fields of the first version */
    memcpy(given, &size, sizeof size);
    if (cases[k].last) given[size - 1] = 9;
    memset(own, 0xAA, sizeof own);
    rh_status status = rh_sized_read(own, given, GROWN, &error);
    ck_assert_uint_eq(own[sizeof(grown)], 0xAA);
    if (cases[k].words) {
      must_refuse(status, cases[k].words);
      continue;
    }
    ck_assert_int_eq(status, RH_OK);
    ck_assert_uint_eq(((const grown *)own)->struct_size, sizeof(grown));
    ck_assert_mem_eq(own + 4, given + 4, known - 4);
    for (size_t j = known; j < sizeof(grown); j++) ck_assert_uint_eq(own[j], 0);
  }
}

TEST(sizes_that_are_written) {
  static const uint32_t sizes[] = {16, 20, 24, 32, 48};
  const grown own = {32, 1, 2, 3, 4};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    _Alignas(8) unsigned char given[64];
    uint32_t size = sizes[k], known = size < sizeof own ? size : sizeof own;
    memset(given, 0xAA, sizeof given);
    memcpy(given, &size, sizeof size);
    rh_sized_write(given, &own, GROWN);
    ck_assert_mem_eq(given, &size, sizeof size);
    ck_assert_mem_eq(given + 4, (const unsigned char *)&own + 4, known - 4);
    for (size_t j = known; j < sizeof given; j++) ck_assert_uint_eq(given[j], 0xAA);
  }
}

/* ---- The public structs ---- */

/* Tries rejected sizes, and one that is accepted, on CALL with SIZED.now. */
#define TRY_SIZES(T, SIZED, LEAST, CALL, GOOD)                                                     \
  do {                                                                                             \
    (SIZED).now.struct_size = 0;                                                                   \
    must_refuse(CALL, #T ".struct_size is 0; set it to sizeof(" #T ")");                           \
    (SIZED).now.struct_size = (LEAST)-1;                                                           \
    must_refuse(CALL, #T ".struct_size is ");                                                      \
    (SIZED).now.struct_size = UINT32_MAX;                                                          \
    must_refuse(CALL, #T ".struct_size is 4294967295;");                                           \
    (SIZED).now.struct_size = sizeof(SIZED);                                                       \
    (SIZED).bytes[sizeof(T)] = 1;                                                                  \
    must_refuse(CALL, "later version");                                                            \
    (SIZED).bytes[sizeof(T)] = 0;                                                                  \
    must((CALL));                                                                                  \
    GOOD;                                                                                          \
  } while (0)

CASES(public, .set_up = set_up_numbers, .tear_down = tear_down)

TEST(sizes_of_options) {
  rh_redhost *opened = redhost;
  LONGER(rh_options) options = {.now = {.cache_dir = "/proc/none"}};
  TRY_SIZES(rh_options, options, offsetof(rh_options, no_measure),
            rh_open(&opened, &options.now, &error), rh_close(opened));
  options.now.struct_size = 0;
  rh_open(&opened, &options.now, &error);
  ck_assert_ptr_null(opened);
}

TEST(sizes_of_request_and_result) {
  LONGER(rh_request)
  request = {.now = {.strategy = "serial", .op = "sum", .type = RH_TYPE_i32, .n = N}};
  LONGER(rh_result) result = {.now = {.struct_size = sizeof result}};
  request.now.data = numbers;
  TRY_SIZES(rh_request, request, offsetof(rh_request, inputs),
            rh_reduce(redhost, &request.now, &result.now, &error),
            ck_assert_int_eq(result.now.value.i, N * (N - 1) / 2));
  result.now.value.i = 0;
  TRY_SIZES(rh_result, result, offsetof(rh_result, n_fields),
            rh_reduce(redhost, &request.now, &result.now, &error),
            ck_assert_int_eq(result.now.value.i, N * (N - 1) / 2));
  ck_assert_uint_eq(result.now.struct_size, sizeof result);
  int64_t sums[2];
  const rh_output output = {.type = RH_TYPE_i64, .data = sums, .n = 2};
  LONGER(rh_segmentation) segments = {.now = {.length = N / 2}};
  request.now.segments = &segments.now;
  request.now.outputs = &output;
  request.now.n_outputs = 1;
  TRY_SIZES(rh_segmentation, segments, offsetof(rh_segmentation, n_segments) + sizeof(uint64_t),
            rh_reduce(redhost, &request.now, &result.now, &error),
            ck_assert_int_eq(sums[0] + sums[1], N * (N - 1) / 2));
  request.now.segments = NULL;
  request.now.outputs = NULL;
  request.now.n_outputs = 0;
  request.now.data_on_device = 1;
  must_refuse(rh_reduce(redhost, &request.now, &result.now, &error),
              "rh_request.data_on_device: only rh_prepare() takes it");
  request.now.data_on_device = 0;
  request.now.result_on_device = 1;
  must_refuse(rh_reduce(redhost, &request.now, &result.now, &error),
              "rh_request.result_on_device: only rh_prepare() takes it");
}

/* Results of a program that knows all fields, none of several results, or the first version's. */
static void check_written(rh_prepared *prepared) {
  static const uint32_t sizes[] = {sizeof(rh_result), offsetof(rh_result, fields),
                                   offsetof(rh_result, n_fields)};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    LONGER(rh_result) result;
    memset(&result, 0xAA, sizeof result);
    result.now.struct_size = sizes[k];
    must(rh_prepared_run(prepared, numbers, N, &result.now, &error));
    ck_assert_uint_eq(result.now.struct_size, sizes[k]);
    ck_assert_int_eq(result.now.value.i, N * (N - 1) / 2);
    for (size_t j = sizes[k]; j < sizeof result; j++) ck_assert_uint_eq(result.bytes[j], 0xAA);
  }
}

/* `native` is called by the fast path, `serial` is not. */
TEST_LOOP(sizes_of_prepared_request_and_result, 0, 2) {
  LONGER(rh_request)
  spec = {.now = {.strategy = _i ? "native" : "serial", .op = "sum", .type = RH_TYPE_i32, .n = N}};
  LONGER(rh_result) result = {.now = {.struct_size = sizeof result}};
  OWNED(rh_prepared) prepared = NULL;
  TRY_SIZES(rh_request, spec, offsetof(rh_request, inputs),
            rh_prepare(redhost, &spec.now, &prepared, &error), (void)0);
  TRY_SIZES(rh_result, result, offsetof(rh_result, n_fields),
            rh_prepared_run(prepared, numbers, N, &result.now, &error),
            ck_assert_int_eq(result.now.value.i, N * (N - 1) / 2));
  check_written(prepared);
  result.now.struct_size = 0;
  must_refuse(reduce_buffer(prepared, NULL, 0, 1, &result.now, &error), "is 0;");
  result.now.struct_size = sizeof(rh_result);

  const void *arrays[] = {numbers};
  LONGER(rh_call_spec) call = {.now = {.n_operands = 1, .arrays = arrays, .n = N}};
  TRY_SIZES(rh_call_spec, call, offsetof(rh_call_spec, index) + sizeof(uint64_t),
            rh_prepared_call(prepared, &call.now, &result.now, &error),
            ck_assert_int_eq(result.now.value.i, N * (N - 1) / 2));

  int64_t value = 3;
  result.now = (rh_result){.value.i = 5};
  rh_prepared_decode(prepared, &value, 1, &result.now);
  ck_assert_int_eq(result.now.value.i, 5);
  result.now.struct_size = sizeof(rh_result);
  rh_prepared_decode(prepared, &value, 1, &result.now);
  ck_assert_int_eq(result.now.value.i, 3);
}
