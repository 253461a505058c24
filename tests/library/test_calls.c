/* The calls of a prepared call besides computing: a few OpenCL calls, each counted, and nothing
 * else.
 *
 * The import tables of the library and the plugins, and the library's table of OpenCL's functions,
 * are redirected during calls: a few OpenCL
 * functions to counters, string functions to themselves, and all others (malloc, clCreateBuffer,
 * mmap, clGetDeviceInfo, and any future one) to functions that fail the test by name.  Calls inside
 * the driver are not seen. */
#include <CL/cl.h>
#include <link.h>
#include <sys/mman.h>

#include "../../host/library/library.h"
#include "queue.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#else
#define RELOCATIONS_UNKNOWN
#endif

/* ---- Replacements for the imports ---- */

typedef void function(void);

static struct {
  unsigned set, launch, read, flush, finish, write, create, release, ask, system;
} counts;

static cl_int count_set(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  counts.set++;
  return clSetKernelArg(kernel, index, size, value);
}
static cl_int count_launch(cl_command_queue in, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           cl_uint n, const cl_event *events, cl_event *event) {
  counts.launch++;
  return clEnqueueNDRangeKernel(in, kernel, dimensions, offset, global, local, n, events, event);
}
static cl_int count_read(cl_command_queue in, cl_mem buffer, cl_bool blocking, size_t offset,
                         size_t bytes, void *to, cl_uint n, const cl_event *events,
                         cl_event *event) {
  counts.read++;
  return clEnqueueReadBuffer(in, buffer, blocking, offset, bytes, to, n, events, event);
}
static cl_int count_flush(cl_command_queue in) {
  counts.flush++;
  return clFlush(in);
}
static cl_int count_finish(cl_command_queue in) {
  counts.finish++;
  return clFinish(in);
}
static cl_int count_write(cl_command_queue in, cl_mem buffer, cl_bool blocking, size_t offset,
                          size_t bytes, const void *from, cl_uint n, const cl_event *events,
                          cl_event *event) {
  counts.write++;
  return clEnqueueWriteBuffer(in, buffer, blocking, offset, bytes, from, n, events, event);
}
static cl_mem count_create(cl_context in, cl_mem_flags flags, size_t bytes, void *host,
                           cl_int *code) {
  counts.create++;
  return clCreateBuffer(in, flags, bytes, host, code);
}
static cl_int count_release(cl_mem buffer) {
  counts.release++;
  return clReleaseMemObject(buffer);
}
static cl_int count_ask(cl_mem buffer, cl_mem_info what, size_t bytes, void *to, size_t *size) {
  counts.ask++;
  return clGetMemObjectInfo(buffer, what, bytes, to, size);
}

static long count_system(int name) {
  counts.system++;
  return sysconf(name);
}

static const struct {
  const char *name;
  function *replacement;
} counted[] = {
    {"sysconf", (function *)count_system},
    {"clSetKernelArg", (function *)count_set},
    {"clEnqueueNDRangeKernel", (function *)count_launch},
    {"clEnqueueReadBuffer", (function *)count_read},
    {"clFlush", (function *)count_flush},
    {"clFinish", (function *)count_finish},
    {"clEnqueueWriteBuffer", (function *)count_write},
    {"clCreateBuffer", (function *)count_create},
    {"clReleaseMemObject", (function *)count_release},
    {"clGetMemObjectInfo", (function *)count_ask},
};

/* Computing; and the time, while a result is awaited. */
static const char *const harmless[] = {"memcpy", "memset", "memcmp", "memccpy", "clock_gettime"};

/* What rh_reduce() may call beyond that, which compares a request with those before and locks. */
static const char *const comparing[] = {"strcmp", "strnlen", "memmove", "pthread_mutex_lock",
                                        "pthread_mutex_unlock"};
static int may_compare;

enum { MOST = 512, MOST_SLOTS = 2048 };
static const char *forbidden[MOST];
static unsigned n_forbidden;

static int may_complain;
enum { COMPLAINED = 77 };

static void complain(unsigned k) {
  if (may_complain) _exit(COMPLAINED);
  ck_abort_msg("%s() was called", forbidden[k]);
}
#define ONE(k)                                                                                     \
  static void forbidden_##k(void) { complain(0x##k); }
#define NAME(k) forbidden_##k,
/* clang-format off */
#define SIXTEEN(X, k)                                                                              \
  X(k##0) X(k##1) X(k##2) X(k##3) X(k##4) X(k##5) X(k##6) X(k##7)                                  \
  X(k##8) X(k##9) X(k##a) X(k##b) X(k##c) X(k##d) X(k##e) X(k##f)
#define ALL(X)                                                                                     \
  SIXTEEN(X, 0) SIXTEEN(X, 1) SIXTEEN(X, 2) SIXTEEN(X, 3) SIXTEEN(X, 4) SIXTEEN(X, 5)              \
  SIXTEEN(X, 6) SIXTEEN(X, 7) SIXTEEN(X, 8) SIXTEEN(X, 9) SIXTEEN(X, a) SIXTEEN(X, b)              \
  SIXTEEN(X, c) SIXTEEN(X, d) SIXTEEN(X, e) SIXTEEN(X, f)                                          \
  SIXTEEN(X, 10) SIXTEEN(X, 11) SIXTEEN(X, 12) SIXTEEN(X, 13) SIXTEEN(X, 14) SIXTEEN(X, 15)        \
  SIXTEEN(X, 16) SIXTEEN(X, 17) SIXTEEN(X, 18) SIXTEEN(X, 19) SIXTEEN(X, 1a) SIXTEEN(X, 1b)        \
  SIXTEEN(X, 1c) SIXTEEN(X, 1d) SIXTEEN(X, 1e) SIXTEEN(X, 1f)
/* clang-format on */
ALL(ONE)
static function *const complainers[MOST] = {ALL(NAME)};

static function *replacement_for(const char *name) {
  /* The library's own functions, and those that compilers and sanitizers insert. */
  if (strncmp(name, "rh_", 3) == 0 || strncmp(name, "__", 2) == 0) return NULL;
  for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
    if (strcmp(harmless[k], name) == 0) return NULL;
  for (size_t k = 0; may_compare && k < sizeof comparing / sizeof *comparing; k++)
    if (strcmp(comparing[k], name) == 0) return NULL;
  for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
    if (strcmp(counted[k].name, name) == 0) return counted[k].replacement;
  for (unsigned k = 0; k < n_forbidden; k++)
    if (strcmp(forbidden[k], name) == 0) return complainers[k];
  ck_assert_uint_lt(n_forbidden, MOST);
  forbidden[n_forbidden] = name;
  return complainers[n_forbidden++];
}

/* ---- The import tables ---- */

static struct { function **slot, *before; } slots[MOST_SLOTS];
static unsigned n_slots, n_objects;

static void replace(function **slot, const char *name) {
  ck_assert_uint_lt(n_slots, MOST_SLOTS);
  slots[n_slots].slot = slot;
  slots[n_slots++].before = *slot;
  *slot = replacement_for(name);
}

/* The library calls OpenCL's functions through a table of its own. */
static void replace_opencl(void) {
#define RH_X(name) replace((function **)&rh_cl.name, "cl" #name);
  RH_OPENCL_LIST(RH_X)
#undef RH_X
}

#ifndef RELOCATIONS_UNKNOWN
static void redirect(uintptr_t base, const ElfW(Rela) * table, size_t bytes,
                     const ElfW(Sym) * symbols, const char *strings) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (size_t k = 0; table && k < bytes / sizeof *table; k++) {
    unsigned type = ELF64_R_TYPE(table[k].r_info);
    const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(table[k].r_info)];
    if (type != JUMP_SLOT && (type != GLOBAL_DATA || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC))
      continue;
    if (!replacement_for(strings + symbol->st_name)) continue;
    function **slot = (function **)(base + table[k].r_offset);
    /* RELRO has made the table read-only. */
    ck_assert_int_eq(
        mprotect((void *)((uintptr_t)slot & ~(page - 1)), page, PROT_READ | PROT_WRITE), 0);
    replace(slot, strings + symbol->st_name);
  }
}

/* The loader has relocated some addresses of the dynamic section, but not others. */
static uintptr_t absolute(uintptr_t base, uintptr_t address) {
  return address < base ? base + address : address;
}

static void redirect_object(uintptr_t base, const ElfW(Dyn) * entry) {
  const ElfW(Rela) *jumps = NULL, *others = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *strings = NULL;
  size_t jump_bytes = 0, other_bytes = 0;
  for (; entry->d_tag != DT_NULL; entry++) {
    uintptr_t address = absolute(base, entry->d_un.d_ptr);
    switch (entry->d_tag) {
    case DT_JMPREL: jumps = (const void *)address; break;
    case DT_PLTRELSZ: jump_bytes = entry->d_un.d_val; break;
    case DT_RELA: others = (const void *)address; break;
    case DT_RELASZ: other_bytes = entry->d_un.d_val; break;
    case DT_SYMTAB: symbols = (const void *)address; break;
    case DT_STRTAB: strings = (const void *)address; break;
    default: break;
    }
  }
  redirect(base, jumps, jump_bytes, symbols, strings);
  redirect(base, others, other_bytes, symbols, strings);
  n_objects++;
}

static int visit(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  (void)user;
  if (!strstr(info->dlpi_name, "/libredhost_watched.so") && !strstr(info->dlpi_name, "/redhost-1/"))
    return 0;
  for (unsigned k = 0; k < info->dlpi_phnum; k++)
    if (info->dlpi_phdr[k].p_type == PT_DYNAMIC)
      redirect_object(info->dlpi_addr,
                      (const void *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr));
  return 0;
}
#endif

/* From here on, calls are watched. */
static void watch(void) {
  memset(&counts, 0, sizeof counts);
  n_slots = n_objects = 0;
  replace_opencl();
#ifndef RELOCATIONS_UNKNOWN
  dl_iterate_phdr(visit, NULL);
  ck_assert_uint_ge(n_objects, 2); /* the library and a plugin */
#endif
}

static void watch_no_more(void) {
  for (unsigned k = 0; k < n_slots; k++) *slots[k].slot = slots[k].before;
}

static void check_counts(const char *what, unsigned set, unsigned launch, unsigned read,
                         unsigned write, unsigned ask) {
  ck_assert_msg(
      counts.set <= set && counts.launch == launch && counts.read + counts.finish == read &&
          counts.write == write && counts.create == 0 && counts.release == 0 && counts.ask == ask,
      "%s: %u arguments set (at most %u), %u launches (%u), %u reads or waits (%u), %u writes "
      "(%u), %u buffers created, %u released, %u questions about buffers (%u)",
      what, counts.set, set, counts.launch, launch, counts.read + counts.finish, read, counts.write,
      write, counts.create, counts.release, counts.ask, ask);
}

/* ---- Calls ---- */

enum { N = 100003, CALLS = 10 };
static int32_t x[N];

static const struct {
  const char *strategy, *finish;
  unsigned set, launch, read; /* by a call on the same data */
} strategies[] = {
    {"serial", NULL, 0, 0, 0},
    {"cascade", "host", 5, 1, 1},
    {"cascade", "device", 10, 2, 1},
    {"two_stage", NULL, 10, 2, 1},
    {"two_stage_float4", NULL, 10, 2, 1},
    {"cpu_serial", "host", 5, 1, 1},
    {"onepass", "last", 14, 1, 1},
};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

static rh_prepared *prepare_one(rh_redhost *with, int k, int on_device) {
  const rh_setting finish = {"finish", strategies[k].finish};
  rh_request spec = SIZED(rh_request, .strategy = strategies[k].strategy, .op = "sum",
                          .type = RH_TYPE_i32, .n = N, .data_on_device = on_device != 0,
                          .settings = &finish, .n_settings = finish.value != NULL);
  for (int i = 0; i < N; i++) x[i] = i;
  return prepare(with, &spec);
}

static int64_t right(int64_t n) { return n * (n - 1) / 2; }

static void run(rh_prepared *prepared, const int32_t *data, int64_t n) {
  must(rh_prepared_run(prepared, data, (uint64_t)n, spoilt(&result), &error));
  ck_assert_int_eq(result.value.i, right(n) + (data - x) * n);
}

static void try_array(int k, unsigned writes) {
  OWNED(rh_prepared) prepared = prepare_one(redhost, k, 0);
  run(prepared, x, N);
  watch();
  for (int call = 0; call < CALLS; call++) run(prepared, x, N);
  watch_no_more();
  /* And not fewer: some drivers inspect an object only when the argument is set. */
  ck_assert_uint_ge(counts.set, strategies[k].set * CALLS);
  check_counts(strategies[k].strategy, strategies[k].set * CALLS, strategies[k].launch * CALLS,
               strategies[k].read * CALLS, writes * CALLS, 0);
}

CASES(calls, .set_up = set_up_queue, .tear_down = tear_down_queue)

TEST_LOOP(one_array, 0, STRATEGIES) {
  if (the_device()->about.kind != RH_DEVICE_CPU) return; /* makes an object for each call */
  try_array(_i, 0);
}

TEST_LOOP(one_array_to_memory_of_its_own, 0, STRATEGIES) {
  the_device()->shares_memory = 0;
  try_array(_i, strategies[_i].launch > 0);
}

/* Another array, on a device that uses it in place: one object is created, and another one
 * released. */
TEST(another_array) {
  if (the_device()->about.kind != RH_DEVICE_CPU || !the_device()->shares_memory) return;
  OWNED(rh_prepared) prepared = prepare_one(redhost, 1, 0);
  run(prepared, x, N / 2);
  watch();
  run(prepared, x + N / 4, N / 4); /* a part of it */
  ck_assert_uint_eq(counts.create, 0);
  run(prepared, x, N);
  ck_assert_uint_eq(counts.create, 1);
  ck_assert_uint_eq(counts.release, 1);
  watch_no_more();
}

/* A device that may cache shared memory needs a new object for each call. */
TEST(nearly_the_hosts_memory) {
  the_device()->shares_memory = 1;
  the_device()->about.kind = RH_DEVICE_GPU;
  OWNED(rh_prepared) prepared = prepare_one(redhost, 1, 0);
  watch();
  for (int call = 0; call < CALLS; call++) run(prepared, x, N);
  watch_no_more();
  ck_assert_uint_eq(counts.create, CALLS);
  ck_assert_uint_eq(counts.release, CALLS);
}

/* A buffer of the caller's, and other ranges of it, without the library's array in between. */
TEST_LOOP(buffer, 1, STRATEGIES) {
  OWNED(rh_prepared) prepared = prepare_one(on_queue, _i, 1);
  BUFFER data = make_buffer(x, sizeof x);
  watch();
  for (int64_t n = N; n > N - CALLS; n--) {
    must(reduce_buffer(prepared, data, 0, (uint64_t)n, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, right(n));
  }
  watch_no_more();
  /* n changes too; and the first call sets the arguments that the self-test set differently. */
  check_counts(strategies[_i].strategy, (strategies[_i].set + 1) * CALLS + 16,
               strategies[_i].launch * CALLS, strategies[_i].read * CALLS, 0, 3 * CALLS);
}

static const rh_setting one_thread = {"threads", "1"};

/* Rows and columns, of two results and of an index. */
TEST_LOOP(segments, 0, 4) {
  static double mean[N], variance[N];
  static int64_t index[N];
  const uint64_t lengths[] = {10, N / 10};
  const rh_segmentation of = {
      .struct_size = sizeof of, .n_axes = 2, .reduced = _i % 2 ? 1 : 2, .lengths = lengths};
  const rh_request request = SIZED(rh_request, .strategy = "native", .type = RH_TYPE_i32,
                                   .op = _i < 2 ? "meanvar" : "argmax", .n = N / 10 * 10,
                                   .settings = &one_thread, .n_settings = 1, .segments = &of);
  const rh_output outputs[] = {{.type = _i < 2 ? RH_TYPE_f64 : RH_TYPE_i64,
                                .data = _i < 2 ? (void *)mean : (void *)index,
                                .n = N},
                               {.type = RH_TYPE_f64, .data = variance, .n = N}};
  const void *arrays[] = {x};
  const rh_call_spec call = SIZED(rh_call_spec, .n = N / 10 * 10, .arrays = arrays,
                                  .outputs = outputs, .n_outputs = _i < 2 ? 2 : 1);
  OWNED(rh_prepared) prepared = prepare(redhost, &request);
  may_compare = 1; /* results of an operator's own have names */
  watch();
  for (int k = 0; k < CALLS; k++) must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  watch_no_more();
  ck_assert_uint_eq(counts.system, 0); /* the number of processors is in a file */
}

/* Rows, and two axes of three, which the device copies into rows: launches, and nothing else. */
TEST_LOOP(segments_of_buffers, 0, 4) {
  const uint64_t lengths[] = {4, 100, 100};
  const rh_segmentation of = {
      .struct_size = sizeof of, .n_axes = 3, .reduced = _i % 2 ? 5 : 4, .lengths = lengths};
  rh_request request = request_for(_i < 2 ? "segments" : "onepass", "sum", RH_TYPE_i32, NULL, N);
  BUFFER data = make_buffer(x, sizeof x), values = make_buffer(NULL, sizeof x * 2);
  const rh_call_spec call = SIZED(rh_call_spec, .n = N, .buffers = &data, .values = values);
  request.segments = &of;
  request.result_on_device = 1;
  OWNED(rh_prepared) prepared = prepare(on_queue, &request);
  static const unsigned launches[] = {1, 2, 400, 101};
  watch();
  for (int k = 0; k < CALLS; k++) must(rh_prepared_call(prepared, &call, NULL, &error));
  watch_no_more();
  check_counts("segments", 20 * launches[_i] * CALLS, launches[_i] * CALLS, 0, 0, 6 * CALLS);
  ck_assert_uint_eq(counts.flush, 0);
}

/* ---- rh_reduce() again ---- */

static const rh_input two[] = {{.type = RH_TYPE_i32, .data = x}, {.type = RH_TYPE_i32, .data = x}};
static const rh_request again[] = {
    {.op = "sum", .data = x},
    {.op = "sum", .inputs = two, .n_inputs = 1},
    {.op = "argmax", .data = x, .settings = &one_thread, .n_settings = 1},
    {.op = "dot", .inputs = two, .n_inputs = 2},
    {.op = "meanvar", .data = x},
    {.op = "min,max", .data = x},
    {.map = "x*y", .inputs = two, .n_inputs = 2},
    {.map = "x > t", .data = x, .n_constants = 1},
    {.op = "max", .where = "x < t", .data = x, .n_constants = 1},
    {.map = "x, 1", .finalize = "a.0/a.1", .data = x},
    {.reduce = "a > b ? a : b", .identity = "-2147483648", .commutes = 1, .data = x},
    {.op = "{\"redhost\": \"operator/1\", \"name\": \"mine\", \"operands\": [\"x\"], "
           "\"op\": \"sum\", \"map\": \"x - 1\"}",
     .data = x},
};
enum { REQUESTS = sizeof again / sizeof *again };

/* The texts are other ones with the same contents, and a constant has another value. */
TEST_LOOP(the_same_request, 0, REQUESTS) {
  char texts[4][256];
  rh_request request = again[_i];
  rh_constant t = {.name = "t", .value.i = 1000};
  rh_result first = {.struct_size = sizeof first};
  for (int i = 0; i < N; i++) x[i] = i % 5000;
  request.struct_size = sizeof request;
  request.strategy = "native";
  request.n = 2000;
  request.unchecked = 1;
  if (!request.inputs) request.type = RH_TYPE_i32;
  if (request.n_constants) request.constants = &t;
  must(rh_reduce(redhost, &request, &first, &error));
  const char **const own[] = {&request.op, &request.map, &request.where, &request.strategy};
  for (int k = 0; k < 4; k++)
    if (*own[k]) {
      snprintf(texts[k], sizeof texts[k], "%s", *own[k]);
      *own[k] = texts[k];
    }
  t.value.i = 700;
  may_compare = 1;
  watch();
  for (int call = 0; call < CALLS; call++)
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
  watch_no_more();
  if (request.n_constants) {
    request.unchecked = 0; /* compared with a reference */
    first = result;
    must(rh_reduce(redhost, &request, &first, &error));
  }
  ck_assert_int_eq(result.value.i, first.value.i);
  ck_assert_uint_eq(result.n_fields, first.n_fields);
  ck_assert_int_eq(memcmp(result.fields, first.fields, result.n_fields * sizeof *first.fields), 0);
}

/* Segments, too. */
TEST(the_same_segments) {
  static int64_t sums[N];
  const uint64_t lengths[] = {N / 100, 100};
  const rh_segmentation of = {
      .struct_size = sizeof of, .n_axes = 2, .reduced = 2, .lengths = lengths};
  const rh_output output = {.type = RH_TYPE_i64, .data = sums, .n = N};
  rh_request request = request_for("native", "sum", RH_TYPE_i32, x, N);
  request.settings = &one_thread;
  request.n_settings = 1;
  request.unchecked = 1;
  request.segments = &of;
  request.outputs = &output;
  request.n_outputs = 1;
  for (int i = 0; i < N; i++) x[i] = 1;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  may_compare = 1;
  watch();
  for (int call = 0; call < CALLS; call++)
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
  watch_no_more();
  ck_assert_int_eq(sums[N / 100 - 1], 100);
}

/* The checks themselves must work. */
#ifndef RELOCATIONS_UNKNOWN
TEST_EXIT(the_watch_sees, COMPLAINED) {
  rh_prepared *prepared = prepare_one(redhost, 1, 0);
  may_complain = 1;
  watch();
  /* Its message is formatted by a function that no successful call needs. */
  rh_prepared_run(prepared, x, N + 1, spoilt(&result), &error);
}
#endif
