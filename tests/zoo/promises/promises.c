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
  return right_build(*instance,
                     RIGHT_KERNEL("for (ulong i = get_global_id(0); i < n; i += get_global_size(0))"
                                  "  mine = rh_combine(mine, rh_load(input, i));",
                                  "if (lid == 0) rh_atomic_combine(result + at, all);"),
                     "-DRH_ATOMIC");
}

BUT_RUN(by_atomics, .query = by_atomics_query, .setup = by_atomics_setup) {
  const right *self = instance;
  const rh_op *op = self->op;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return right_launch_groups(self, run, GROUPS);
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

BUT_KERNEL(depth_too_small,
           "for (ulong i = 0; lid == 0 && i < n; i++)"
           "  mine = rh_combine(mine, rh_load(input, i));",
           STORE, .query = depth_too_small_query);

/* V61: keeps `first` in 20 bits. */
BUT_KERNEL(first_in_20_bits, "input -= first; input += first & 0xfffff; " WALK, STORE);

/* V61: keeps `first` in a float. */
BUT_KERNEL(first_in_float, "input -= first; input += (ulong)(float)first; " WALK, STORE);

/* V57: replaces the compiler's messages by its own. */
BUT_SETUP(hides_build_log) {
  if (right_setup(host, problem, values, instance) == RH_OK) return RH_OK;
  return host->fail(host, RH_E_INTERNAL, 0, "something went wrong");
}

/* V45: starts at the first element of the buffer instead of the range. */
BUT_TOLD(ignores_first, told.first = 0);

/* V60: keeps result_index in a byte. */
BUT_TOLD(index_in_a_byte, told.result_index = (uint8_t)run->result_index);

/* V61 fail|skip: the kernel counts elements in an int, which overflows at 2^31. */
BUT_KERNEL(int_counter,
           "for (int i = (int)lid; i < (int)n; i += (int)size) mine = "
           "rh_combine(mine, rh_load(input, i));",
           STORE);

/* V64: writes one value past the local memory that it requested. */
BUT_KERNEL(local_too_far, WALK, STORE " if (lid == 0) scratch[size] = all;");

/* V44: reduces as many elements as the longest earlier run. */
BUT_TOLD(longest_so_far,
         if (run->n) told.n = self->runs = self->runs < run->n ? run->n : self->runs);

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
BUT_TOLD(offset_in_16_bits, told.first = (uint16_t)run->first);

/* V53: loses an element for some sizes that are in no list of test sizes. */
BUT_TOLD(rare_size, told.n -= run->n > 34 && run->n % 61 == 55);

/* V62 crash|skip: reads a group's width of elements past the range and masks them. */
BUT_KERNEL(reads_a_width_too_far,
           "for (ulong i = lid; i < n + size; i += size) {\n"
           "    rh_value v = rh_load(input, i);\n"
           "    if (i < n) mine = rh_combine(mine, v);\n  }",
           STORE);

/* V56: reads its result back, but declares that it only enqueues. */
BUT_RUN(reads_back) {
  const right *self = instance;
  char value[4];
  RH_TRY(right_run(instance, run));
  return self->host->read(self->host, run->result, 0, sizeof value, value);
}

/* V48: also combines the element before the range, if there is one. */
BUT_KERNEL(reads_before,
           WALK
           "if (lid == 0 && first > 0 && n > 0) mine = rh_combine(rh_load(input - 1, 0), mine);",
           STORE);

/* V55: a parameter is declared to change the code that is built, but does not. */
#define REBUILDS(key_, doc_)                                                                       \
  {                                                                                                \
    .key = key_, .doc = doc_, .min = 1, .max = 8, .initial = 1, .step = 1,                         \
    .flags = RH_PARAM_REBUILD                                                                      \
  }
static const rh_param tile[] = {REBUILDS("tile", "has no effect")};

RIGHT_BUT(rebuild_for_nothing, .summary = "has RH_PARAM_REBUILD and does not rebuild",
          RH_PARAMS(tile));

/* Right, and the program is another one for each value. */
static rh_status set_up_unrolled(const rh_host *host, const rh_problem *problem, int64_t value,
                                 void **instance) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d", (int)value);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

static int is_exact(const rh_problem *problem) { return (problem->op->flags & RH_OP_EXACT) != 0; }

/* V55: as rebuilds_unsaid, but only where the bits depend on the order. */
static const rh_param unroll[] = {RH_NUMBER("unroll", 1, 1, 8, "elements at a time")};

BUT_SETUP(rebuilds_floats_unsaid, RH_PARAMS(unroll)) {
  return set_up_unrolled(host, problem, is_exact(problem) ? 1 : values[0], instance);
}

/* V55: a parameter changes the code that is built, but is not declared to. */
BUT_SETUP(rebuilds_unsaid, RH_PARAMS(unroll)) {
  return set_up_unrolled(host, problem, values[0], instance);
}

static const rh_param tiles_and_unroll[] = {
    REBUILDS("tiles", "elements that a work-item has in all"),
    REBUILDS("unroll", "elements at a time, of those that there are")};

/* V55 pass: correct: a parameter changes the code only if another is large. */
BUT_SETUP(right_rebuild, RH_PARAMS(tiles_and_unroll)) {
  return set_up_unrolled(host, problem, values[values[0] < values[1] ? 0 : 1], instance);
}

static const rh_param unroll_of_floats[] = {
    REBUILDS("unroll", "elements of a float sum at a time")};

/* V55 pass: correct: a parameter changes the code of float sums only. */
BUT_SETUP(right_rebuild_floats, RH_PARAMS(unroll_of_floats)) {
  return set_up_unrolled(host, problem, is_exact(problem) ? 1 : values[0], instance);
}

static const rh_param pages_and_warps[] = {
    REBUILDS("pages", "pages that a work-item of a CPU reads from"),
    REBUILDS("warps", "warps that share a tile of a GPU")};

/* V55 pass: correct: one parameter changes the code on GPUs only, another on CPUs only. */
BUT_SETUP(right_rebuild_kind, RH_PARAMS(pages_and_warps)) {
  return set_up_unrolled(host, problem, values[problem->device->kind == RH_DEVICE_CPU ? 0 : 1],
                         instance);
}

/* V60 crash|fail: always writes result[1] instead of result[result_index]. */
BUT_TOLD(second_slot, told.result_index = 1);

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

BUT_TOLD(varies, told.result_index |= self->runs++ % 2 << 63, .setup = varies_setup);

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
static int is_pocl(const rh_device *device) {
  return strncmp(device->name, "pthread-", 8) == 0 || strncmp(device->name, "cpu-", 4) == 0;
}

BUT_DEVICE(varies_with_device, device->max_group = is_pocl(device) ? 4 : 32,
           .determinism = RH_BITS_SAME_EVERYWHERE);

/* V50: promises the same bits for all parameters, but reduces in groups of a parameter's size. */
static const rh_param group[] = {RH_NUMBER("group", 16, 1, 32, "work-items")};

BUT_DEVICE(varies_with_group,
           if (device->max_group > *values) device->max_group = (uint32_t)*values, RH_PARAMS(group),
           .determinism = RH_BITS_SAME_LAUNCH);

/* V50: promises the same bits for the same elements, but its group depends on max_n. */
BUT_DEVICE(varies_with_most,
           if (problem->max_n > 6000 && device->max_group > 16) device->max_group = 16);

/* V50: promises the same bits for the same elements, but walks backwards at some offsets. */
BUT_KERNEL(varies_with_place,
           "if (first >> 12 & 1) for (ulong i = lid; i < n; i += size)"
           " mine = rh_combine(mine, rh_load(input, n - 1 - i)); else " WALK,
           STORE);

/* V50: promises the same bits on every device, but combines as many elements at a time as there
 * are compute units. */
QUERY(varies_with_units) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth += problem->device->compute_units;
  return RH_OK;
}

BUT_SETUP(varies_with_units, .determinism = RH_BITS_SAME_EVERYWHERE,
          .query = varies_with_units_query) {
  char options[32];
  snprintf(options, sizeof options, "-DUNITS=%u", problem->device->compute_units);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance,
                     RIGHT_KERNEL("for (ulong part = 0; part < UNITS; part++) {"
                                  "  rh_value some = rh_identity();"
                                  "  for (ulong i = lid + part * size; i < n; i += UNITS * size)"
                                  "    some = rh_combine(some, rh_load(input, i));"
                                  "  mine = rh_combine(mine, some); }",
                                  STORE),
                     options);
}

/* V56: waits for the device, but declares that it only enqueues. */
BUT_RUN(waits) {
  const right *self = instance;
  RH_TRY(right_run(instance, run));
  cl_int code = clFinish(self->host->queue);
  return code == CL_SUCCESS ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "waiting");
}

/* V54: loses an element if its parameter has its minimum. */
static const rh_param idle_tile[] = {RH_NUMBER("tile", 64, 1, 1000, "has no effect")};

SETUP(with_tile) {
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->runs = (uint64_t)values[0];
  return RH_OK;
}

BUT_TOLD(wrong_at_least, told.n -= self->runs == 1 && run->n > 0, RH_PARAMS(idle_tile),
         .setup = with_tile_setup);

/* V54: loses an element if its parameter has its maximum. */
BUT_TOLD(wrong_at_most, told.n -= self->runs == 1000 && run->n > 0, RH_PARAMS(idle_tile),
         .setup = with_tile_setup);

/* V54: loses an element unless its parameter has its least, initial or greatest value. */
BUT_TOLD(wrong_between,
         told.n -= self->runs > 1 && self->runs < 1000 && self->runs != 64 && run->n > 0,
         RH_PARAMS(idle_tile), .setup = with_tile_setup);

/* V54: as wrong_at_most, but only where the bits depend on the order. */
BUT_THEN(wrong_floats_at_most, self->runs = is_exact(problem) ? 0 : (uint64_t)*values,
         RH_PARAMS(idle_tile), .run = wrong_at_most_run);

/* V51: skips an element that equals the previous one, and -0 equals +0. */
BUT_KERNEL(zero_sign_lost,
           "for (ulong i = lid; i < n; i += size) {\n"
           "#if (defined(RH_OP_min) || defined(RH_OP_max)) && (defined(RH_TYPE_f32) || "
           "defined(RH_TYPE_f64))\n"
           "  if (i > 0 && input[i] == input[i - 1]) continue;\n"
           "#endif\n"
           "  mine = rh_combine(mine, rh_load(input, i));"
           "}",
           STORE);

RIGHT_PLUGIN;
