/* Faults of results and promises: V12, V41 to V64. */
#include "../right.h"

#include <CL/cl.h>
#include <string.h>

/* V56: obtains a buffer from OpenCL in every run, and releases it. */
BUT_RUN(allocates_in_run) {
  const right *self = instance;
  cl_int code;
  cl_mem buffer = clCreateBuffer(self->host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  if (code != CL_SUCCESS) return self->host->fail(self->host, RH_E_CL, code, "a buffer");
  rh_status status = right_run(instance, run);
  clReleaseMemObject(buffer);
  return status;
}

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

BUT_RUN(by_atomics, .query = by_atomics_query, .setup = by_atomics_setup) {
  const right *self = instance;
  const rh_op *op = self->own;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return rh_launch(self->host, self->kernel, "right", GROUPS * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

/* V12 fail|skip: prints a number into build options, which is not valid C in a locale with a
 * decimal comma. */
BUT_SETUP(decimal_point) {
  char options[64];
  snprintf(options, sizeof options, "-DHALF=%.1ff", 0.5);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL(WALK, "if (HALF > 1) return; " STORE), options);
}

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

BUT_SETUP(depth_of_256, RH_PARAMS(depth_of_256_params), .query = depth_of_256_query) {
  rh_answer answer = {0};
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(plan(problem, values, &self->group, &answer));
  self->local_bytes = self->group * problem->op->value_size;
  return right_build(self, RIGHT_KERNEL(WALK, STORE), "");
}

/* V52: one work-item adds everything serially, but the depth of a tree is declared. */
QUERY(depth_too_small) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = 1 + rh_log2_up(problem->max_n);
  return RH_OK;
}

BUT_SETUP(depth_too_small, .query = depth_too_small_query) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("for (ulong i = 0; lid == 0 && i < n; i++)"
                                     "  mine = rh_combine(mine, rh_load(input, i));",
                                     STORE),
                        instance);
}

/* V61: keeps `first` in 20 bits. */
BUT_SETUP(first_in_20_bits) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("input -= first; input += first & 0xfffff; " WALK, STORE),
                        instance);
}

/* V61: keeps `first` in a float. */
BUT_SETUP(first_in_float) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("input -= first; input += (ulong)(float)first; " WALK, STORE),
                        instance);
}

/* V57: replaces the compiler's messages by its own. */
BUT_SETUP(hides_build_log) {
  if (right_setup(host, problem, values, instance) == RH_OK) return RH_OK;
  return host->fail(host, RH_E_INTERNAL, 0, "something went wrong");
}

/* V45: starts at the first element of the buffer instead of the range. */
BUT_RUN(ignores_first) {
  return right_launch(instance, run, 0, run->n);
}

/* V60: keeps result_index in a byte. */
BUT_RUN(index_in_a_byte) {
  rh_run shorter = *run;
  shorter.result_index = (uint8_t)run->result_index;
  return right_launch(instance, &shorter, run->first, run->n);
}

/* V61 fail|skip: the kernel counts elements in an int, which overflows at 2^31. */
BUT_SETUP(int_counter) {
  static const char walk[] =
      RIGHT_KERNEL("for (int i = (int)lid; i < (int)n; i += (int)size) mine = "
                   "rh_combine(mine, rh_load(input, i));",
                   STORE);
  return right_setup_of(host, problem, walk, instance);
}

/* V64: writes one value past the local memory that it requested. */
BUT_SETUP(local_too_far) {
  return right_setup_of(host, problem,
                        RIGHT_KERNEL(WALK, STORE " if (lid == 0) scratch[size] = all;"), instance);
}

/* V44: reduces as many elements as the longest earlier run. */
BUT_RUN(longest_so_far) {
  right *self = instance;
  if (run->n == 0) return right_run(instance, run);
  if (self->runs < run->n) self->runs = run->n;
  return right_launch(self, run, run->first, self->runs);
}

/* V57: does not name its source, so that the compiler's messages have no file. */
BUT_SETUP(nameless_source) {
  struct _cl_program *program;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(host->build(host, "", RIGHT_KERNEL(WALK, STORE), "", &program));
  return rh_group_kernel(host, program, "right", self->group, &self->kernel);
}

/* V41: does not write the identity for an empty range. */
BUT_RUN(nothing_for_nothing) {
  if (run->n == 0) return RH_OK;
  return right_run(instance, run);
}

/* V60: keeps `first` in 16 bits. */
BUT_RUN(offset_in_16_bits) {
  return right_launch(instance, run, (uint16_t)run->first, run->n);
}

/* V53: loses an element for some sizes that are in no list of test sizes. */
BUT_RUN(rare_size) {
  uint64_t lost = run->n > 34 && run->n % 61 == 55;
  return right_launch(instance, run, run->first, run->n - lost);
}

/* V62 crash|skip: reads a group's width of elements past the range and masks them. */
BUT_SETUP(reads_a_width_too_far) {
  static const char walk[] = RIGHT_KERNEL("for (ulong i = lid; i < n + size; i += size) {\n"
                                          "    rh_value v = rh_load(input, i);\n"
                                          "    if (i < n) mine = rh_combine(mine, v);\n  }",
                                          STORE);
  return right_setup_of(host, problem, walk, instance);
}

/* V56: reads its result back, but declares that it only enqueues. */
BUT_RUN(reads_back) {
  const right *self = instance;
  char value[4];
  RH_TRY(right_run(instance, run));
  return self->host->read(self->host, run->result, 0, sizeof value, value);
}

/* V48: also combines the element before the range, if there is one. */
BUT_SETUP(reads_before) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(
          WALK
          "if (lid == 0 && first > 0 && n > 0) mine = rh_combine(rh_load(input - 1, 0), mine);",
          STORE),
      instance);
}

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

BUT_SETUP(rebuilds_floats_unsaid, RH_PARAMS(rebuilds_floats_unsaid_params)) {
  int is_exact = (problem->op->flags & RH_OP_EXACT) != 0;
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           is_exact ? 1 : (int)values[REBUILDS_FLOATS_UNSAID_UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

/* V55: a parameter changes the code that is built, but is not declared to. */
BUT_SETUP(rebuilds_unsaid, RH_PARAMS(rebuilds_floats_unsaid_params)) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d", (int)values[REBUILDS_FLOATS_UNSAID_UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

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

/* V55 pass: correct: a parameter changes the code only if another is large. */
BUT_SETUP(right_rebuild, RH_PARAMS(right_rebuild_params)) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           (int)(values[RIGHT_REBUILD_UNROLL] < values[TILES] ? values[RIGHT_REBUILD_UNROLL]
                                                              : values[TILES]));
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

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

/* V55 pass: correct: a parameter changes the code of float sums only. */
BUT_SETUP(right_rebuild_floats, RH_PARAMS(right_rebuild_floats_params)) {
  int is_exact = (problem->op->flags & RH_OP_EXACT) != 0;
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           is_exact ? 1 : (int)values[RIGHT_REBUILD_FLOATS_UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

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

/* V55 pass: correct: one parameter changes the code on GPUs only, another on CPUs only. */
BUT_SETUP(right_rebuild_kind, RH_PARAMS(right_rebuild_kind_params)) {
  char options[32];
  int is_cpu = problem->device->kind == RH_DEVICE_CPU;
  snprintf(options, sizeof options, "-DSTEPS=%d", (int)values[is_cpu ? PAGES : WARPS]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (STEPS < 1) return; " WALK, STORE), options);
}

/* V60 crash|fail: always writes result[1] instead of result[result_index]. */
BUT_RUN(second_slot) {
  rh_run to_second = *run;
  to_second.result_index = 1;
  return right_launch(instance, &to_second, run->first, run->n);
}

/* V57: ignores a failed build until run. */
SETUP(swallows_build_failure) {
  RH_TRY(right_begin(host, problem, instance));
  right_build(*instance, RIGHT_KERNEL(WALK, STORE), "");
  return RH_OK;
}

BUT_RUN(swallows_build_failure, .setup = swallows_build_failure_setup) {
  const right *self = instance;
  if (!self->kernel) return self->host->fail(self->host, RH_E_INTERNAL, 0, "there is no kernel");
  return right_run(instance, run);
}

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

BUT_RUN(varies, .setup = varies_setup) {
  right *self = instance;
  rh_run this = *run;
  this.result_index |= self->runs++ % 2 << 63;
  return right_run(instance, &this);
}

/* V50: promises the same bits for all parameters, but only the bounds of the range agree with
 * the default. */
enum { SHARE };
static const rh_param varies_between_params[] = {[SHARE] = RH_NUMBER("share", 1, 1, 64, "parts")};

BUT_SETUP(varies_between, RH_PARAMS(varies_between_params), .determinism = RH_BITS_SAME_LAUNCH) {
  if (values[SHARE] == 1 || values[SHARE] == 64)
    return right_setup(host, problem, values, instance);
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("for (ulong k = lid; k < n; k += size)"
                                     "  mine = rh_combine(mine, rh_load(input, n - 1 - k));",
                                     STORE),
                        instance);
}

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

BUT_SETUP(varies_with_device, .determinism = RH_BITS_SAME_EVERYWHERE,
          .query = varies_with_device_query) {
  rh_device device;
  rh_problem limited = varies_with_device_within(problem, &device);
  return right_setup(host, &limited, values, instance);
}

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

BUT_SETUP(varies_with_group, RH_PARAMS(varies_with_group_params),
          .determinism = RH_BITS_SAME_LAUNCH, .query = varies_with_group_query) {
  rh_device device;
  rh_problem limited = varies_with_group_within(problem, values, &device);
  return right_setup(host, &limited, values, instance);
}

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

BUT_SETUP(varies_with_most, .query = varies_with_most_query) {
  rh_device device;
  rh_problem limited = varies_with_most_within(problem, &device);
  return right_setup(host, &limited, values, instance);
}

/* V50: promises the same bits for the same elements, but walks backwards at some offsets. */
BUT_SETUP(varies_with_place) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("if (first >> 12 & 1) for (ulong i = lid; i < n; i += size)"
                   " mine = rh_combine(mine, rh_load(input, n - 1 - i)); else " WALK,
                   STORE),
      instance);
}

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

BUT_SETUP(varies_with_units, .determinism = RH_BITS_SAME_EVERYWHERE,
          .query = varies_with_units_query) {
  RH_TRY(right_begin(host, problem, instance));
  return build(*instance, problem->device);
}

/* V56: waits for the device, but declares that it only enqueues. */
BUT_RUN(waits) {
  const right *self = instance;
  RH_TRY(right_run(instance, run));
  cl_int code = clFinish(self->host->queue);
  return code == CL_SUCCESS ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "waiting");
}

/* V54: loses an element if its parameter has its minimum. */
enum { WRONG_AT_LEAST_TILE };
static const rh_param wrong_at_least_params[] = {
    [WRONG_AT_LEAST_TILE] = RH_NUMBER("tile", 64, 1, 1000, "has no effect")};

SETUP(wrong_at_least) {
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->runs = (uint64_t)values[WRONG_AT_LEAST_TILE];
  return RH_OK;
}

BUT_RUN(wrong_at_least, RH_PARAMS(wrong_at_least_params), .setup = wrong_at_least_setup) {
  const right *self = instance;
  uint64_t lost = self->runs == 1 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

/* V54: loses an element if its parameter has its maximum. */
BUT_RUN(wrong_at_most, RH_PARAMS(wrong_at_least_params), .setup = wrong_at_least_setup) {
  const right *self = instance;
  uint64_t lost = self->runs == 1000 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

/* V54: loses an element unless its parameter has its least, initial or greatest value. */
BUT_RUN(wrong_between, RH_PARAMS(wrong_at_least_params), .setup = wrong_at_least_setup) {
  const right *self = instance;
  uint64_t lost = self->runs > 1 && self->runs < 1000 && self->runs != 64 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

/* V54: as wrong_at_most, but only where the bits depend on the order. */
BUT_SETUP(wrong_floats_at_most, RH_PARAMS(wrong_at_least_params), .run = wrong_at_most_run) {
  RH_TRY(right_setup(host, problem, values, instance));
  if (!(problem->op->flags & RH_OP_EXACT))
    ((right *)*instance)->runs = (uint64_t)values[WRONG_AT_LEAST_TILE];
  return RH_OK;
}

/* V51: skips an element that equals the previous one, and -0 equals +0. */
BUT_SETUP(zero_sign_lost) {
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
