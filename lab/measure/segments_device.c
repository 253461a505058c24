/* Times segments of an array that is on a device, and compares their bits with the host's.
 *
 *   segments_device [KEY=VALUE]... CASE...
 *
 *   type=f32 op=sum n=28     2^n elements in all
 *   strategy=segments        and for others param=KEY=VALUE
 *   plugin=FILE              of another plugin of that name
 *   check=1                  compare with `native`, bit by bit, and time nothing
 *   build=1                  only build the kernels, for a cache that other runs share
 *
 * CASE   rows:L       of L elements
 *        offsets:L    of L-1 and L+1 in turn
 *        uniform:L    of 0 to L;  power:E  of the power law 1.5 up to 2^E
 *        giant        of 8, but one that has half of all;  sparse  nine of ten empty, others to 300
 *        axis:R:C     columns of R elements, C side by side
 *
 * A time is that from a marker behind a sweep to one behind several calls, by the device's clock,
 * over their number: the median of several.  Moves: the time in which elements, offsets and results
 * pass once each at the sweep's rate, over the time taken. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <redhost/redhost.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 9, SWEEPS = 4, BLOCK = 1 << 26 };

static rh_request wanted = {
    .struct_size = sizeof wanted, .type = RH_TYPE_f32, .op = "sum", .strategy = "segments"};
static const char *type_name = "f32", *plugin_file;
static uint64_t n = 1 << 28, element_size = 4;
static int is_check, is_build;
static rh_setting settings[8];

static cl_context context;
static cl_command_queue queue;
static cl_mem elements, values;
static uint64_t values_bytes;
static void *host_elements;
static rh_redhost *redhost;
static rh_prepared *sweep;
static double bytes_per_us;

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

static void stop(const char *what, const char *why) {
  fprintf(stderr, "segments_device: %s: %s\n", what, why);
  exit(1);
}

static void cl_ok(cl_int code, const char *what) {
  char text[32];
  snprintf(text, sizeof text, "error %d", code);
  if (code != CL_SUCCESS) stop(what, text);
}

/* ---- Layouts ---- */

typedef struct layout {
  uint64_t n, segments; /* elements that have one */
  uint64_t lengths[3];
  rh_segmentation what;
  uint64_t *offsets; /* or null */
} layout;

static uint64_t next_length(const char *kind, uint64_t a, uint64_t k, uint64_t left) {
  uint64_t random = next_random();
  if (!strcmp(kind, "offsets")) return a == 0 ? 0 : k % 2 ? a + 1 : a - 1;
  if (!strcmp(kind, "uniform")) return random % (a + 1);
  if (!strcmp(kind, "sparse")) return random % 10 ? 0 : 1 + random / 16 % 300;
  if (!strcmp(kind, "giant")) return left <= n / 2 && left + 8 > n / 2 ? n / 2 : 8;
  /* P(length > x) = x^-1/2 */
  double u = ((double)(random >> 11) + 1) * 0x1p-53, length = 1 / (u * u);
  double most = ldexp(1, (int)a);
  return (uint64_t)(length < most ? length : most);
}

static void by_offsets(layout *l, const char *kind, uint64_t a) {
  uint64_t room = 1024, at = 0;
  l->offsets = malloc(room * sizeof *l->offsets);
  l->offsets[0] = 0;
  for (; at < n; l->segments++) {
    uint64_t length = next_length(kind, a, l->segments, n - at);
    if (l->segments + 2 > room) l->offsets = realloc(l->offsets, (room *= 2) * sizeof *l->offsets);
    if (!l->offsets) stop(kind, "no memory");
    at = length > n - at ? n : at + length;
    l->offsets[l->segments + 1] = at;
  }
  l->n = n;
  l->what.starts = l->offsets;
  l->what.stops = l->offsets + 1;
  l->what.n_segments = l->segments;
}

static layout layout_of(const char *text) {
  layout l = {.what.struct_size = sizeof l.what};
  char kind[16];
  uint64_t a = 0, b = 0;
  if (sscanf(text, "%15[a-z]:%lu:%lu", kind, &a, &b) < 1) stop(text, "not a case");
  if (!strcmp(kind, "rows")) {
    l.segments = n / a;
    l.n = l.segments * a;
    l.what.length = a;
  } else if (!strcmp(kind, "axis")) {
    l.lengths[0] = n / (a * b);
    if (l.lengths[0] == 0) stop(text, "more elements than there are");
    l.lengths[1] = a;
    l.lengths[2] = b;
    l.segments = l.lengths[0] * b;
    l.n = l.segments * a;
    l.what.n_axes = 3;
    l.what.reduced = 2;
  } else
    by_offsets(&l, kind, a);
  return l;
}

/* ---- Calls ---- */

static rh_prepared *prepare(layout *l, const char *strategy) {
  rh_request request = wanted;
  rh_prepared *prepared;
  rh_error error;
  request.n = l ? l->n : n;
  request.strategy = strategy;
  request.segments = l ? &l->what : NULL;
  request.result_on_device = 1;
  if (!l) request.n_settings = 0;
  if (l && l->what.n_axes) l->what.lengths = l->lengths;
  if (rh_prepare(redhost, &request, &prepared, &error) == RH_OK) return prepared;
  fprintf(stderr, "segments_device: %s\n", error.message);
  return NULL;
}

static void call(rh_prepared *prepared, uint64_t count) {
  rh_call_spec spec = {
      .struct_size = sizeof spec, .n = count, .buffers = &elements, .values = values};
  rh_error error;
  if (rh_prepared_call(prepared, &spec, NULL, &error) != RH_OK) stop("a call", error.message);
}

static void make_room(uint64_t bytes) {
  cl_int code;
  if (bytes <= values_bytes) return;
  if (values) clReleaseMemObject(values);
  values = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  cl_ok(code, "a buffer of results");
  values_bytes = bytes;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static cl_ulong time_of(cl_event event) {
  cl_ulong time;
  cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
        "a marker's time");
  clReleaseEvent(event);
  return time;
}

/* Microseconds of a call. */
static double measure(rh_prepared *prepared, uint64_t count) {
  double us[REPEATS];
  const int calls = n >> 24 ? 5 : 20;
  call(prepared, count);
  cl_ok(clFinish(queue), "the first call");
  for (int k = 0; k < REPEATS; k++) {
    cl_event begin, end;
    for (int s = 0; s < SWEEPS && sweep; s++) call(sweep, n);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &begin), "a marker");
    for (int c = 0; c < calls; c++) call(prepared, count);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &end), "a marker");
    cl_ok(clFinish(queue), "calls");
    cl_ulong from = time_of(begin);
    us[k] = (double)(time_of(end) - from) / 1e3 / calls;
  }
  qsort(us, REPEATS, sizeof *us, compare);
  return us[REPEATS / 2];
}

static void time_case(const char *text) {
  layout l = layout_of(text);
  rh_prepared *prepared = prepare(&l, wanted.strategy);
  if (prepared && !is_build) {
    uint64_t of_value = rh_prepared_value_bytes(prepared);
    make_room(of_value * l.segments);
    double us = measure(prepared, l.n);
    double bytes = (double)(l.n * element_size + l.segments * of_value);
    if (l.offsets) bytes += 8.0 * (double)(l.segments + 1);
    printf("%-4s %-7s 2^%-2d %-18s %9.1f us  %5.1f %% moves\n", type_name, wanted.op,
           (int)log2((double)n), text, us, 100 * bytes / bytes_per_us / us);
    fflush(stdout);
  }
  rh_prepared_destroy(prepared);
  free(l.offsets);
}

/* ---- Comparing ---- */

/* Whether the second call of a prepared one, which knows the offsets, leaves the same sums; that of
 * no elements is -0 there, and 0 in a result. */
static int differs_prepared(layout *l, const void *expected) {
  rh_prepared *prepared = prepare(l, wanted.strategy);
  uint64_t bytes = rh_prepared_value_bytes(prepared) * l->segments;
  char *mine = malloc(bytes + 1);
  make_room(bytes);
  call(prepared, l->n);
  call(prepared, l->n);
  cl_ok(clEnqueueReadBuffer(queue, values, CL_TRUE, 0, bytes, mine, 0, NULL, NULL), "values");
  uint64_t size = bytes / l->segments;
  int differs = 0;
  for (uint64_t k = 0; k < l->segments; k++)
    if (!l->offsets || l->offsets[k] < l->offsets[k + 1])
      differs |= memcmp(mine + k * size, (const char *)expected + k * size, size) != 0;
  free(mine);
  rh_prepared_destroy(prepared);
  return differs;
}

static void check_case(const char *text) {
  layout l = layout_of(text);
  uint64_t room = l.segments + 1;
  double *mine = calloc(room, sizeof *mine), *theirs = calloc(room, sizeof *theirs);
  rh_output output = {.n = room};
  rh_request request = wanted;
  rh_result result = {.struct_size = sizeof result};
  rh_error error;
  int is_index = strstr(wanted.op, "arg") != NULL, is_float = type_name[0] == 'f';
  rh_type wide = type_name[0] == 'u' || !strcmp(wanted.op, "asum") ? RH_TYPE_u64 : RH_TYPE_i64;
  int is_sum = strstr(wanted.op, "sum") || !strcmp(wanted.op, "prod");
  output.type = !strcmp(wanted.op, "meanvar")            ? RH_TYPE_f64
                : is_index                               ? RH_TYPE_i64
                : is_float && element_size < 4 && is_sum ? RH_TYPE_f32
                : is_float || !is_sum                    ? wanted.type
                                                         : wide;
  request.unchecked = 1;
  request.n = l.n;
  request.data = host_elements;
  request.segments = &l.what;
  if (l.what.n_axes) l.what.lengths = l.lengths;
  request.outputs = &output;
  request.n_outputs = 1;
  output.data = mine;
  if (rh_reduce(redhost, &request, &result, &error) != RH_OK) stop(text, error.message);
  request.strategy = "native";
  request.n_settings = 0;
  output.data = theirs;
  if (rh_reduce(redhost, &request, &result, &error) != RH_OK) stop(text, error.message);
  int differs = memcmp(mine, theirs, room * sizeof *mine) != 0;
  if (output.type == wanted.type && strstr(wanted.op, "sum"))
    differs |= differs_prepared(&l, theirs);
  printf("%-4s %-7s 2^%-2d %-18s %s\n", type_name, wanted.op, (int)log2((double)n), text,
         differs ? "DIFFERS" : "same bits");
  fflush(stdout);
  free(mine);
  free(theirs);
  free(l.offsets);
}

/* ---- The device ---- */

/* Of floats, whose order is compared: some NaN, infinities and zeros. */
static void put_specials(uint64_t *at, uint64_t words) {
  static const uint64_t of_f16[] = {0x7e00fe00, 0x7c00fc00, 0x8000};
  static const uint64_t of_f32[] = {0xffc000007fc00000, 0x7f800000ff800000, 0x8000000000000000};
  static const uint64_t of_f64[] = {0xfff8000000000000, 0x7ff0000000000000, 0x8000000000000000};
  const uint64_t *of = element_size == 2 ? of_f16 : element_size == 4 ? of_f32 : of_f64;
  for (uint64_t k = 0; k < words; k++)
    if (next_random() % 64 == 0) at[k] = of[next_random() % 3];
}

/* All of it to compare; to measure, a block that is repeated. */
static void fill(void) {
  const uint64_t bytes = n * element_size, block = is_check || bytes < BLOCK ? bytes : BLOCK;
  uint64_t words = block / 8 + 1;
  uint64_t *at = malloc(words * 8);
  if (!at) stop("elements", "no memory");
  for (uint64_t k = 0; k < words; k++) at[k] = next_random();
  if (!strcmp(type_name, "f16")) /* below 2 */
    for (uint64_t k = 0; k < words; k++) at[k] &= 0xbfffbfffbfffbfff;
  if (!strcmp(type_name, "f32"))
    for (uint64_t k = 0; k < block / 4; k++)
      ((float *)at)[k] = (float)(int32_t)at[k / 2] * 0x1p-31f;
  if (!strcmp(type_name, "f64"))
    for (uint64_t k = 0; k < block / 8; k++) ((double *)at)[k] = (double)(int64_t)at[k] * 0x1p-63;
  if (is_check && type_name[0] == 'f' && (strstr(wanted.op, "max") || strstr(wanted.op, "min")))
    put_specials(at, block / 8);
  for (uint64_t k = 0; k < bytes; k += block)
    cl_ok(clEnqueueWriteBuffer(queue, elements, CL_TRUE, k, bytes - k < block ? bytes - k : block,
                               at, 0, NULL, NULL),
          "elements");
  host_elements = at;
}

static void open_device(void) {
  cl_platform_id platforms[8], *platform = platforms;
  cl_uint count = 0;
  cl_device_id device = NULL;
  cl_int code;
  rh_error error;
  cl_ok(clGetPlatformIDs(8, platforms, &count), "platforms");
  for (cl_uint k = 0; k < count && !device; k++)
    clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_GPU, 1, &device, NULL);
  if (!device) cl_ok(clGetDeviceIDs(*platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "a device");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_ok(code, "a context");
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  cl_ok(code, "a queue");
  rh_options options = {.struct_size = sizeof options, .queue = queue, .plugin_file = plugin_file};
  if (rh_open(&redhost, &options, &error) != RH_OK) stop("redhost", error.message);
  elements = clCreateBuffer(context, CL_MEM_READ_WRITE, n * element_size, NULL, &code);
  cl_ok(code, "a buffer of elements");
  if (!is_build) fill();
}

static void measure_sweep(void) {
  make_room(64);
  rh_prepared *prepared = prepare(NULL, "onepass");
  if (!prepared) exit(1);
  double us = measure(prepared, n);
  sweep = prepared;
  us = measure(prepared, n);
  bytes_per_us = (double)(n * element_size) / us;
  printf("%-4s %-7s 2^%-2d sweep %26.1f us\n", type_name, wanted.op, (int)log2((double)n), us);
}

/* 0: not KEY=VALUE. */
static int take(char *text) {
  static const char *const names[] = {"i8",  "u8",  "i16", "u16", "i32", "u32",
                                      "i64", "u64", "f16", "f32", "f64"};
  static const uint64_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  char *value = strchr(text, '=');
  if (!value) return 0;
  *value++ = 0;
  if (!strcmp(text, "type"))
    for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
      if (!strcmp(value, names[k])) {
        wanted.type = (rh_type)(RH_TYPE_i8 + k);
        element_size = sizes[k];
        type_name = names[k];
      }
  if (!strcmp(text, "op")) wanted.op = value;
  if (!strcmp(text, "n")) n = UINT64_C(1) << atoi(value);
  if (!strcmp(text, "strategy")) wanted.strategy = value;
  if (!strcmp(text, "plugin")) plugin_file = value;
  if (!strcmp(text, "check")) is_check = atoi(value);
  if (!strcmp(text, "build")) is_build = atoi(value);
  if (!strcmp(text, "param")) {
    char *is = strchr(value, '=');
    if (!is || wanted.n_settings == 8) stop(value, "not KEY=VALUE");
    *is = 0;
    wanted.settings = settings;
    settings[wanted.n_settings++] = (rh_setting){value, is + 1};
  }
  return 1;
}

int main(int argc, char **argv) {
  int k = 1;
  while (k < argc && take(argv[k])) k++;
  open_device();
  if (!is_check && !is_build) measure_sweep();
  for (; k < argc; k++) (is_check ? check_case : time_case)(argv[k]);
  return 0;
}
