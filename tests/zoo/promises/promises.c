/* Faults of results and promises: V12, V41 to V64. */
#include "../right.h"

#include <CL/cl.h>
#include <string.h>

/* V56: obtains a buffer from OpenCL in every run, and releases it. */
RUN(allocates_in_run) {
  const right *self = instance;
  cl_int code;
  cl_mem buffer = clCreateBuffer(self->host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  if (code != CL_SUCCESS) return self->host->fail(self->host, RH_E_CL, code, "a buffer");
  rh_status status = right_run(instance, run);
  clReleaseMemObject(buffer);
  return status;
}

RIGHT_BUT(allocates_in_run, .summary = "allocates in run", .run = allocates_in_run_run);

/* V50: promises the same bits from run to run, but two groups combine their values by atomics,
 * in the order of arrival. */
enum { GROUPS = 2 };

QUERY(by_atomics) {
  if (problem->op->value_size != 4)
    return rh_decline(answer, RH_WHY_OP, "%u B are no word", problem->op->value_size);
  return right_query(problem, values, answer);
}

SETUP(by_atomics) {
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  self->own = (void *)(uintptr_t)problem->op;
  return right_build(self,
                     RIGHT_KERNEL("for (ulong i = get_global_id(0); i < n; i += get_global_size(0))"
                                  "  mine = rh_combine(mine, rh_load(input, i));",
                                  "if (lid == 0) rh_atomic_combine(result + at, all);"),
                     "-DRH_ATOMIC");
}

RUN(by_atomics) {
  const right *self = instance;
  const rh_op *op = self->own;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return rh_launch(self->host, self->kernel, "right", GROUPS * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

RIGHT_BUT(by_atomics, .summary = "two groups, in the order of arrival", .query = by_atomics_query,
          .setup = by_atomics_setup, .run = by_atomics_run);

/* V12: prints a number into build options, which is not valid C in a locale with a decimal
 * comma. */
SETUP(decimal_point) {
  char options[64];
  snprintf(options, sizeof options, "-DHALF=%.1ff", 0.5);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL(WALK, "if (HALF > 1) return; " STORE), options);
}

RIGHT_BUT(decimal_point, .summary = "its options depend on the locale",
          .setup = decimal_point_setup);

/* V52: declares the depth of groups of 256 for every value of `group`. */
enum { DEPTH_OF_256_GROUP };
static const rh_param depth_of_256_params[] = {[DEPTH_OF_256_GROUP] =
                                                   RH_NUMBER("group", 256, 1, 256, "work-items")};

static rh_status plan(const rh_problem *problem, const int64_t *values, uint64_t *group,
                      rh_answer *answer) {
  RH_TRY(right_knows(problem, answer));
  RH_TRY(rh_fit_group(problem, "group", values[DEPTH_OF_256_GROUP], 256, problem->op->value_size,
                      group, answer));
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, 256) + 8;
  return RH_OK;
}

QUERY(depth_of_256) {
  uint64_t group;
  return plan(problem, values, &group, answer);
}

SETUP(depth_of_256) {
  rh_answer answer = {0};
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(plan(problem, values, &self->group, &answer));
  self->local_bytes = self->group * problem->op->value_size;
  return right_build(self, RIGHT_KERNEL(WALK, STORE), "");
}

RIGHT_BUT(depth_of_256, .summary = "says nothing of its group in its depth",
          RH_PARAMS(depth_of_256_params), .query = depth_of_256_query, .setup = depth_of_256_setup);

/* V52: one work-item adds everything serially, but the depth of a tree is declared. */
QUERY(depth_too_small) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = 1 + rh_log2_up(problem->max_n);
  return RH_OK;
}

SETUP(depth_too_small) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("for (ulong i = 0; lid == 0 && i < n; i++)"
                                     "  mine = rh_combine(mine, rh_load(input, i));",
                                     STORE),
                        instance);
}

RIGHT_BUT(depth_too_small, .summary = "declares the depth of a tree it has not",
          .query = depth_too_small_query, .setup = depth_too_small_setup);

/* V61: keeps `first` in 20 bits. */
SETUP(first_in_20_bits) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("input -= first; input += first & 0xfffff; " WALK, STORE),
                        instance);
}

RIGHT_BUT(first_in_20_bits, .summary = "keeps first in 20 bits", .setup = first_in_20_bits_setup);

/* V61: keeps `first` in a float. */
SETUP(first_in_float) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("input -= first; input += (ulong)(float)first; " WALK, STORE),
                        instance);
}

RIGHT_BUT(first_in_float, .summary = "keeps first in a float", .setup = first_in_float_setup);

/* V57: replaces the compiler's messages by its own. */
SETUP(hides_build_log) {
  if (right_setup(host, problem, values, instance) == RH_OK) return RH_OK;
  return host->fail(host, RH_E_INTERNAL, 0, "something went wrong");
}

RIGHT_BUT(hides_build_log, .summary = "a failed build is an internal error",
          .setup = hides_build_log_setup);

/* V45: starts at the first element of the buffer instead of the range. */
RUN(ignores_first) {
  return right_launch(instance, run, 0, run->n);
}

RIGHT_BUT(ignores_first, .summary = "ignores where the range begins", .run = ignores_first_run);

/* V60: keeps result_index in a byte. */
RUN(index_in_a_byte) {
  rh_run shorter = *run;
  shorter.result_index = (uint8_t)run->result_index;
  return right_launch(instance, &shorter, run->first, run->n);
}

RIGHT_BUT(index_in_a_byte, .summary = "result_index modulo 2^8", .run = index_in_a_byte_run);

/* V61: the kernel counts elements in an int, which overflows at 2^31. */
SETUP(int_counter) {
  static const char walk[] =
      RIGHT_KERNEL("for (int i = (int)lid; i < (int)n; i += (int)size) mine = "
                   "rh_combine(mine, rh_load(input, i));",
                   STORE);
  return right_setup_of(host, problem, walk, instance);
}

RIGHT_BUT(int_counter, .summary = "counts in an int", .setup = int_counter_setup);

/* V64: writes one value past the local memory that it requested. */
SETUP(local_too_far) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL(WALK, STORE " if (lid == 0) scratch[size] = all;"), instance);
}

RIGHT_BUT(local_too_far, .summary = "a value behind its local memory",
          .setup = local_too_far_setup);

/* V44: reduces as many elements as the longest earlier run. */
RUN(longest_so_far) {
  right *self = instance;
  if (run->n == 0) return right_run(instance, run);
  if (self->runs < run->n) self->runs = run->n;
  return right_launch(self, run, run->first, self->runs);
}

RIGHT_BUT(longest_so_far, .summary = "remembers the largest n", .run = longest_so_far_run);

/* V57: does not name its source, so that the compiler's messages have no file. */
SETUP(nameless_source) {
  struct _cl_program *program;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(host->build(host, "", RIGHT_KERNEL(WALK, STORE), "", &program));
  return rh_group_kernel(host, program, "right", self->group, &self->kernel);
}

RIGHT_BUT(nameless_source, .summary = "gives its source no name", .setup = nameless_source_setup);

/* V41: does not write the identity for an empty range. */
RUN(nothing_for_nothing) {
  if (run->n == 0) return RH_OK;
  return right_run(instance, run);
}

RIGHT_BUT(nothing_for_nothing, .summary = "n = 0 leaves the result as it was",
          .run = nothing_for_nothing_run);

/* V60: keeps `first` in 16 bits. */
RUN(offset_in_16_bits) {
  return right_launch(instance, run, (uint16_t)run->first, run->n);
}

RIGHT_BUT(offset_in_16_bits, .summary = "first modulo 2^16", .run = offset_in_16_bits_run);

/* V53: loses an element for some sizes that are in no list of test sizes. */
RUN(rare_size) {
  uint64_t lost = run->n > 34 && run->n % 61 == 55;
  return right_launch(instance, run, run->first, run->n - lost);
}

RIGHT_BUT(rare_size, .summary = "is wrong where n leaves 55 of 61", .run = rare_size_run);

/* V62: reads a group's width of elements past the range and masks them. */
SETUP(reads_a_width_too_far) {
  static const char walk[] = RIGHT_KERNEL("for (ulong i = lid; i < n + size; i += size) {\n"
                                          "    rh_value v = rh_load(input, i);\n"
                                          "    if (i < n) mine = rh_combine(mine, v);\n  }",
                                          STORE);
  return right_setup_of(host, problem, walk, instance);
}

RIGHT_BUT(reads_a_width_too_far, .summary = "reads behind the range, and masks it",
          .setup = reads_a_width_too_far_setup);

/* V56: reads its result back, but declares that it only enqueues. */
RUN(reads_back) {
  const right *self = instance;
  char value[4];
  RH_TRY(right_run(instance, run));
  return self->host->read(self->host, run->result, 0, sizeof value, value);
}

RIGHT_BUT(reads_back, .summary = "reads in run", .run = reads_back_run);

/* V48: also combines the element before the range, if there is one. */
SETUP(reads_before) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(
          WALK
          "if (lid == 0 && first > 0 && n > 0) mine = rh_combine(rh_load(input - 1, 0), mine);",
          STORE),
      instance);
}

RIGHT_BUT(reads_before, .summary = "reads one element too early", .setup = reads_before_setup);

/* V55: a parameter is declared to change the code that is built, but does not. */
static const rh_param rebuild_for_nothing_params[] = {{.key = "tile",
                                                       .doc = "has no effect",
                                                       .min = 1,
                                                       .max = 8,
                                                       .initial = 1,
                                                       .step = 1,
                                                       .flags = RH_PARAM_REBUILD}};

RIGHT_BUT(rebuild_for_nothing, .summary = "has RH_PARAM_REBUILD and does not rebuild",
          RH_PARAMS(rebuild_for_nothing_params));

/* V55: as rebuilds_unsaid, but only where the bits depend on the order. */
enum { REBUILDS_FLOATS_UNSAID_UNROLL };
static const rh_param rebuilds_floats_unsaid_params[] = {
    [REBUILDS_FLOATS_UNSAID_UNROLL] = RH_NUMBER("unroll", 1, 1, 8, "elements at a time")};

SETUP(rebuilds_floats_unsaid) {
  int is_exact = (problem->op->flags & RH_OP_EXACT) != 0;
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           is_exact ? 1 : (int)values[REBUILDS_FLOATS_UNSAID_UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT(rebuilds_floats_unsaid, .summary = "lacks RH_PARAM_REBUILD",
          RH_PARAMS(rebuilds_floats_unsaid_params), .setup = rebuilds_floats_unsaid_setup);

/* V55: a parameter changes the code that is built, but is not declared to. */
SETUP(rebuilds_unsaid) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d", (int)values[REBUILDS_FLOATS_UNSAID_UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT(rebuilds_unsaid, .summary = "lacks RH_PARAM_REBUILD",
          RH_PARAMS(rebuilds_floats_unsaid_params), .setup = rebuilds_unsaid_setup);

/* Correct: one parameter changes the code only if the other is large, as declared, and V55 must
 * find that. */
enum { TILES, RIGHT_REBUILD_UNROLL };
static const rh_param right_rebuild_params[] = {
    [TILES] = {.key = "tiles",
               .doc = "elements that a work-item has in all",
               .min = 1,
               .max = 64,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [RIGHT_REBUILD_UNROLL] = {.key = "unroll",
                              .doc = "elements at a time, of those that there are",
                              .min = 1,
                              .max = 8,
                              .initial = 1,
                              .step = 1,
                              .flags = RH_PARAM_REBUILD},
};

SETUP(right_rebuild) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           (int)(values[RIGHT_REBUILD_UNROLL] < values[TILES] ? values[RIGHT_REBUILD_UNROLL]
                                                              : values[TILES]));
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT(right_rebuild, .summary = "parameters that change code together",
          RH_PARAMS(right_rebuild_params), .setup = right_rebuild_setup);

/* Correct: a parameter changes the code only where the bits depend on the order, as declared. */
enum { RIGHT_REBUILD_FLOATS_UNROLL };
static const rh_param right_rebuild_floats_params[] = {
    [RIGHT_REBUILD_FLOATS_UNROLL] = {.key = "unroll",
                                     .doc = "elements of a float sum at a time",
                                     .min = 1,
                                     .max = 8,
                                     .initial = 1,
                                     .step = 1,
                                     .flags = RH_PARAM_REBUILD}};

SETUP(right_rebuild_floats) {
  int is_exact = (problem->op->flags & RH_OP_EXACT) != 0;
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           is_exact ? 1 : (int)values[RIGHT_REBUILD_FLOATS_UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT(right_rebuild_floats, .summary = "a parameter that matters for floats only",
          RH_PARAMS(right_rebuild_floats_params), .setup = right_rebuild_floats_setup);

/* Correct: one parameter changes the code on GPUs only, another on CPUs only, as declared, and V55
 * must find that wherever it runs. */
enum { PAGES, WARPS };
static const rh_param right_rebuild_kind_params[] = {
    [PAGES] = {.key = "pages",
               .doc = "pages that a work-item of a CPU reads from",
               .min = 1,
               .max = 8,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [WARPS] = {.key = "warps",
               .doc = "warps that share a tile of a GPU",
               .min = 1,
               .max = 8,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
};

SETUP(right_rebuild_kind) {
  char options[32];
  int is_cpu = problem->device->kind == RH_DEVICE_CPU;
  snprintf(options, sizeof options, "-DSTEPS=%d", (int)values[is_cpu ? PAGES : WARPS]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (STEPS < 1) return; " WALK, STORE), options);
}

RIGHT_BUT(right_rebuild_kind, .summary = "parameters of one kind of device",
          RH_PARAMS(right_rebuild_kind_params), .setup = right_rebuild_kind_setup);

/* V60: always writes result[1] instead of result[result_index]. */
RUN(second_slot) {
  rh_run to_second = *run;
  to_second.result_index = 1;
  return right_launch(instance, &to_second, run->first, run->n);
}

RIGHT_BUT(second_slot, .summary = "writes result[1]", .run = second_slot_run);

/* V57: ignores a failed build until run. */
SETUP(swallows_build_failure) {
  RH_TRY(right_begin(host, problem, instance));
  right_build(*instance, RIGHT_KERNEL(WALK, STORE), "");
  return RH_OK;
}

RUN(swallows_build_failure) {
  const right *self = instance;
  if (!self->kernel) return self->host->fail(self->host, RH_E_INTERNAL, 0, "there is no kernel");
  return right_run(instance, run);
}

RIGHT_BUT(swallows_build_failure, .summary = "a failed build goes unnoticed",
          .setup = swallows_build_failure_setup, .run = swallows_build_failure_run);

/* V50: promises the same bits from run to run, but alternates the direction. */
SETUP(varies) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("ulong odd = at >> 63; at = at << 1 >> 1;"
                                     "for (ulong k = lid; k < n; k += size) {"
                                     "  ulong i = odd ? n - 1 - k : k;"
                                     "  mine = rh_combine(mine, rh_load(input, i)); }",
                                     STORE),
                        instance);
}

RUN(varies) {
  right *self = instance;
  rh_run this = *run;
  this.result_index |= self->runs++ % 2 << 63;
  return right_run(instance, &this);
}

RIGHT_BUT(varies, .summary = "every other run takes another order", .setup = varies_setup,
          .run = varies_run);

/* V50: promises the same bits for all parameters, but only the bounds of the range agree with
 * the default. */
enum { SHARE };
static const rh_param varies_between_params[] = {[SHARE] = RH_NUMBER("share", 1, 1, 64, "parts")};

SETUP(varies_between) {
  if (values[SHARE] == 1 || values[SHARE] == 64)
    return right_setup(host, problem, values, instance);
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("for (ulong k = lid; k < n; k += size)"
                                     "  mine = rh_combine(mine, rh_load(input, n - 1 - k));",
                                     STORE),
                        instance);
}

RIGHT_BUT(varies_between, .summary = "its bits depend on a parameter",
          RH_PARAMS(varies_between_params), .determinism = RH_BITS_SAME_LAUNCH,
          .setup = varies_between_setup);

/* V50: promises the same bits on every device, but reduces in smaller groups on PoCL, whose
 * devices have names that begin with "pthread-" or "cpu-". */
/* The group is passed as the device's limit, which right_plan() observes. */
static rh_problem varies_with_device_within(const rh_problem *problem, rh_device *device) {
  rh_problem limited = *problem;
  const char *name = problem->device->name;
  *device = *problem->device;
  device->max_group = strncmp(name, "pthread-", 8) == 0 || strncmp(name, "cpu-", 4) == 0 ? 4 : 32;
  limited.device = device;
  return limited;
}

QUERY(varies_with_device) {
  rh_device device;
  rh_problem limited = varies_with_device_within(problem, &device);
  return right_query(&limited, values, answer);
}

SETUP(varies_with_device) {
  rh_device device;
  rh_problem limited = varies_with_device_within(problem, &device);
  return right_setup(host, &limited, values, instance);
}

RIGHT_BUT(varies_with_device, .summary = "its bits depend on the device",
          .determinism = RH_BITS_SAME_EVERYWHERE, .query = varies_with_device_query,
          .setup = varies_with_device_setup);

/* V50: promises the same bits for all parameters, but reduces in groups of a parameter's size. */
enum { VARIES_WITH_GROUP_GROUP };
static const rh_param varies_with_group_params[] = {
    [VARIES_WITH_GROUP_GROUP] = RH_NUMBER("group", 16, 1, 32, "work-items")};

/* The group is passed as the device's limit, which right_plan() observes. */
static rh_problem varies_with_group_within(const rh_problem *problem, const int64_t *values,
                                           rh_device *device) {
  rh_problem limited = *problem;
  *device = *problem->device;
  if (device->max_group > values[VARIES_WITH_GROUP_GROUP])
    device->max_group = (uint32_t)values[VARIES_WITH_GROUP_GROUP];
  limited.device = device;
  return limited;
}

QUERY(varies_with_group) {
  rh_device device;
  rh_problem limited = varies_with_group_within(problem, values, &device);
  return right_query(&limited, values, answer);
}

SETUP(varies_with_group) {
  rh_device device;
  rh_problem limited = varies_with_group_within(problem, values, &device);
  return right_setup(host, &limited, values, instance);
}

RIGHT_BUT(varies_with_group, .summary = "its bits depend on its group size",
          RH_PARAMS(varies_with_group_params), .determinism = RH_BITS_SAME_LAUNCH,
          .query = varies_with_group_query, .setup = varies_with_group_setup);

/* V50: promises the same bits for the same elements, but its group depends on max_n. */
static rh_problem varies_with_most_within(const rh_problem *problem, rh_device *device) {
  rh_problem limited = *problem;
  *device = *problem->device;
  if (problem->max_n > 6000 && device->max_group > 16) device->max_group = 16;
  limited.device = device;
  return limited;
}

QUERY(varies_with_most) {
  rh_device device;
  rh_problem limited = varies_with_most_within(problem, &device);
  return right_query(&limited, values, answer);
}

SETUP(varies_with_most) {
  rh_device device;
  rh_problem limited = varies_with_most_within(problem, &device);
  return right_setup(host, &limited, values, instance);
}

RIGHT_BUT(varies_with_most, .summary = "its bits depend on max_n", .query = varies_with_most_query,
          .setup = varies_with_most_setup);

/* V50: promises the same bits for the same elements, but walks backwards at some offsets. */
SETUP(varies_with_place) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("if (first >> 12 & 1) for (ulong i = lid; i < n; i += size)"
                   " mine = rh_combine(mine, rh_load(input, n - 1 - i)); else " WALK,
                   STORE),
      instance);
}

RIGHT_BUT(varies_with_place, .summary = "its bits depend on where its range begins",
          .setup = varies_with_place_setup);

/* V50: promises the same bits on every device, but combines as many elements at a time as there
 * are compute units. */
static rh_status build(right *self, const rh_device *device) {
  char options[32];
  snprintf(options, sizeof options, "-DUNITS=%u", device->compute_units);
  return right_build(self,
                     RIGHT_KERNEL("for (ulong part = 0; part < UNITS; part++) {"
                                  "  rh_value some = rh_identity();"
                                  "  for (ulong i = lid + part * size; i < n; i += UNITS * size)"
                                  "    some = rh_combine(some, rh_load(input, i));"
                                  "  mine = rh_combine(mine, some); }",
                                  STORE),
                     options);
}

QUERY(varies_with_units) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth += problem->device->compute_units;
  return RH_OK;
}

SETUP(varies_with_units) {
  RH_TRY(right_begin(host, problem, instance));
  return build(*instance, problem->device);
}

RIGHT_BUT(varies_with_units, .summary = "its bits depend on the compute units",
          .determinism = RH_BITS_SAME_EVERYWHERE, .query = varies_with_units_query,
          .setup = varies_with_units_setup);

/* V56: waits for the device, but declares that it only enqueues. */
RUN(waits) {
  const right *self = instance;
  RH_TRY(right_run(instance, run));
  cl_int code = clFinish(self->host->queue);
  return code == CL_SUCCESS ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "waiting");
}

RIGHT_BUT(waits, .summary = "waits in run", .run = waits_run);

/* V54: loses an element if its parameter has its minimum. */
enum { WRONG_AT_LEAST_TILE };
static const rh_param wrong_at_least_params[] = {
    [WRONG_AT_LEAST_TILE] = RH_NUMBER("tile", 64, 1, 1000, "has no effect")};

SETUP(wrong_at_least) {
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->runs = (uint64_t)values[WRONG_AT_LEAST_TILE];
  return RH_OK;
}

RUN(wrong_at_least) {
  const right *self = instance;
  uint64_t lost = self->runs == 1 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

RIGHT_BUT(wrong_at_least, .summary = "is wrong at some values of tile",
          RH_PARAMS(wrong_at_least_params), .setup = wrong_at_least_setup,
          .run = wrong_at_least_run);

/* V54: loses an element if its parameter has its maximum. */
RUN(wrong_at_most) {
  const right *self = instance;
  uint64_t lost = self->runs == 1000 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

RIGHT_BUT(wrong_at_most, .summary = "is wrong at some values of tile",
          RH_PARAMS(wrong_at_least_params), .setup = wrong_at_least_setup,
          .run = wrong_at_most_run);

/* V54: loses an element unless its parameter has its least, initial or greatest value. */
RUN(wrong_between) {
  const right *self = instance;
  uint64_t lost = self->runs > 1 && self->runs < 1000 && self->runs != 64 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

RIGHT_BUT(wrong_between, .summary = "is wrong at some values of tile",
          RH_PARAMS(wrong_at_least_params), .setup = wrong_at_least_setup,
          .run = wrong_between_run);

/* V54: as wrong_at_most, but only where the bits depend on the order. */
SETUP(wrong_floats_at_most) {
  RH_TRY(right_setup(host, problem, values, instance));
  if (!(problem->op->flags & RH_OP_EXACT))
    ((right *)*instance)->runs = (uint64_t)values[WRONG_AT_LEAST_TILE];
  return RH_OK;
}

RIGHT_BUT(wrong_floats_at_most, .summary = "is wrong at some values of tile",
          RH_PARAMS(wrong_at_least_params), .setup = wrong_floats_at_most_setup,
          .run = wrong_at_most_run);

/* V51: skips an element that equals the previous one, and -0 equals +0. */
SETUP(zero_sign_lost) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("for (ulong i = lid; i < n; i += size) {\n"
                   "#if (defined(RH_OP_min) || defined(RH_OP_max)) && (defined(RH_TYPE_f32) || "
                   "defined(RH_TYPE_f64))\n"
                   "  if (i > 0 && input[i] == input[i - 1]) continue;\n"
                   "#endif\n"
                   "  mine = rh_combine(mine, rh_load(input, i));"
                   "}",
                   STORE),
      instance);
}

RIGHT_BUT(zero_sign_lost, .summary = "passes over equal elements", .setup = zero_sign_lost_setup);

RH_PLUGIN(&strategy_allocates_in_run, &strategy_by_atomics, &strategy_decimal_point,
          &strategy_depth_of_256, &strategy_depth_too_small, &strategy_first_in_20_bits,
          &strategy_first_in_float, &strategy_hides_build_log, &strategy_ignores_first,
          &strategy_index_in_a_byte, &strategy_int_counter, &strategy_local_too_far,
          &strategy_longest_so_far, &strategy_nameless_source, &strategy_nothing_for_nothing,
          &strategy_offset_in_16_bits, &strategy_rare_size, &strategy_reads_a_width_too_far,
          &strategy_reads_back, &strategy_reads_before, &strategy_rebuild_for_nothing,
          &strategy_rebuilds_floats_unsaid, &strategy_rebuilds_unsaid, &strategy_right_rebuild,
          &strategy_right_rebuild_floats, &strategy_right_rebuild_kind, &strategy_second_slot,
          &strategy_swallows_build_failure, &strategy_varies, &strategy_varies_between,
          &strategy_varies_with_device, &strategy_varies_with_group, &strategy_varies_with_most,
          &strategy_varies_with_place, &strategy_varies_with_units, &strategy_waits,
          &strategy_wrong_at_least, &strategy_wrong_at_most, &strategy_wrong_between,
          &strategy_wrong_floats_at_most, &strategy_zero_sign_lost);
