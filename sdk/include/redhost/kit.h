/* redhost/kit.h: conveniences for authors of plugins in C11; header only.  SPDX-License-Identifier:
 * MIT
 *
 * Nothing here is part of the ABI: a plugin carries its own copy.  plugins/cascade.c shows all of
 * it in use. */
#ifndef REDHOST_KIT_H
#define REDHOST_KIT_H

#ifdef __cplusplus
#error "redhost/kit.h is C; in C++ include redhost/plugin.h, as docs/extend/cpp/kahan.cpp does"
#endif

#include "plugin.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Returns a failure to the caller. */
#define RH_TRY(call)                                                                               \
  do {                                                                                             \
    rh_status rh_try_status = (call);                                                              \
    if (rh_try_status != RH_OK) return rh_try_status;                                              \
  } while (0)

/* ---- Describing ---- */

/* The exported descriptor of a plugin with these strategies: RH_PLUGIN(&cascade).  A plugin that
 * can be unloaded first defines RH_PLUGIN_FLAGS as RH_PLUGIN_UNLOADABLE; one that cannot do without
 * an addition to the ABI, such as a later promise, defines RH_PLUGIN_MIN_HOST_MINOR as the minor
 * version that brought it. */
#ifndef RH_PLUGIN_FLAGS
#define RH_PLUGIN_FLAGS 0
#endif
#ifndef RH_PLUGIN_MIN_HOST_MINOR
#define RH_PLUGIN_MIN_HOST_MINOR 0
#endif
#define RH_PLUGIN(...)                                                                             \
  static const rh_strategy *const rh_plugin_strategies[] = {__VA_ARGS__};                          \
  RH_EXPORT const rh_plugin redhost_plugin_v1 = {                                                  \
      .magic = RH_MAGIC,                                                                           \
      .struct_size = sizeof(rh_plugin),                                                            \
      .abi_major = RH_ABI_MAJOR,                                                                   \
      .abi_minor = RH_ABI_MINOR,                                                                   \
      .min_host_minor = RH_PLUGIN_MIN_HOST_MINOR,                                                  \
      .n_strategies = sizeof rh_plugin_strategies / sizeof *rh_plugin_strategies,                  \
      .flags = RH_PLUGIN_FLAGS,                                                                    \
      .strategies = rh_plugin_strategies,                                                          \
      .build = __VERSION__,                                                                        \
  }

/* `.extension = rh_writes_result_once` declares RH_EXTENSION_RESULT_ONCE. */
static inline const void *rh_writes_result_once(const char *id) {
  return strcmp(id, RH_EXTENSION_RESULT_ONCE) == 0 ? RH_EXTENSION_RESULT_ONCE : NULL;
}

/* `.extension = rh_serves_any` declares that the strategy serves operators of several operands,
 * with constants and with values of any size: its kernels have RH_OPERANDS_PARAMETERS, its launches
 * RH_OPERANDS_OF(run), and its memory is reckoned with op->value_size.  rh_serves_any_once: and it
 * writes its result once. */
static inline const void *rh_serves_any(const char *id) {
  if (strcmp(id, RH_EXTENSION_OPERANDS) == 0) return RH_EXTENSION_OPERANDS;
  return strcmp(id, RH_EXTENSION_ANY_VALUE) == 0 ? RH_EXTENSION_ANY_VALUE : NULL;
}
static inline const void *rh_serves_any_once(const char *id) {
  const void *once = rh_writes_result_once(id);
  return once ? once : rh_serves_any(id);
}

/* A strategy's first field and its parameters: {RH_STRATEGY_SIZE, .name = ..., RH_PARAMS(params),
 * ...} */
#define RH_STRATEGY_SIZE .struct_size = sizeof(rh_strategy)
#define RH_PARAMS(table)                                                                           \
  .params = table, .n_params = sizeof table / sizeof *table, .param_stride = sizeof(rh_param)

/* Rows of a parameter table: a number in steps of 1, and a choice between words. */
#define RH_NUMBER(key_, initial_, min_, max_, doc_)                                                \
  { .key = key_, .doc = doc_, .min = min_, .max = max_, .initial = initial_, .step = 1 }
#define RH_CHOICE(key_, choices_, n_, doc_)                                                        \
  {                                                                                                \
    .key = key_, .doc = doc_, .choices = choices_, .min = 0, .max = (n_)-1, .initial = 0,          \
    .step = 1                                                                                      \
  }

/* ---- Segments ---- */

/* The layout of a problem and of a run, of a strategy that promises RH_SERVES_LAYOUTS; null: all
 * elements are one segment, or the host is older. */
static inline const rh_layout *rh_problem_layout(const rh_problem *problem) {
  return RH_HAS(rh_problem, problem, layout) ? problem->layout : NULL;
}
static inline const rh_layout *rh_run_layout(const rh_run *run) {
  return RH_HAS(rh_run, run, layout) ? run->layout : NULL;
}

/* ---- Answering a query ---- */

/* Fills in the reason, and returns RH_DECLINED. */
__attribute__((format(printf, 3, 4))) static inline rh_status
rh_decline(rh_answer *answer, uint32_t why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  answer->why = why;
  vsnprintf(answer->reason, sizeof answer->reason, format, args);
  va_end(args);
  return RH_DECLINED;
}

static inline uint64_t rh_divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* `n` work-items rounded up to whole groups; at least one group. */
static inline uint64_t rh_whole_groups(uint64_t n, uint64_t group) {
  return n ? rh_divide_up(n, group) * group : group;
}

/* The smallest k with 2^k >= n: the levels of a tree over n values. */
static inline uint64_t rh_log2_up(uint64_t n) {
  uint64_t k = 0;
  while (k < 63 && (uint64_t)1 << k < n) k++;
  return k;
}

/* The work-group size for a parameter `key` that was set to `asked`: `asked` itself if the device
 * supports it; for 0, the largest power of two up to `preferred` that the device supports.
 * bytes_per_item: local memory per work-item.  Declines, with the limit and the value, if it does
 * not fit. */
static inline rh_status rh_fit_group(const rh_problem *problem, const char *key, int64_t asked,
                                     uint64_t preferred, uint64_t bytes_per_item, uint64_t *group,
                                     rh_answer *answer) {
  const rh_device *device = problem->device;
  uint64_t size = asked ? (uint64_t)asked : preferred, room = device->local_bytes;
  /* With large values and all of the memory a launch may run out of resources (NVIDIA). */
  if (problem->op->id >= RH_FIRST_USER_OP) room /= 2;
  while (!asked && size > 1 && (size > device->max_group || size * bytes_per_item > room))
    size /= 2;
  *group = size;
  if (size > device->max_group)
    return rh_decline(answer, RH_WHY_PARAM,
                      "%s=%llu: the device supports work-groups of at most "
                      "%u",
                      key, (unsigned long long)size, device->max_group);
  if (size * bytes_per_item > device->local_bytes)
    return rh_decline(answer, asked ? RH_WHY_PARAM : RH_WHY_MEMORY,
                      "%s=%llu needs %llu B of local memory, the device has %llu", key,
                      (unsigned long long)size, (unsigned long long)(size * bytes_per_item),
                      (unsigned long long)device->local_bytes);
  if (answer->local_bytes < size * bytes_per_item) answer->local_bytes = size * bytes_per_item;
  return RH_OK;
}

/* Declines if the answer's scratch memory exceeds what the device can allocate. */
static inline rh_status rh_fit_scratch(const rh_problem *problem, rh_answer *answer) {
  uint64_t most = problem->device->max_alloc_bytes;
  if (most == 0 || answer->scratch_bytes <= most) return RH_OK;
  return rh_decline(answer, RH_WHY_MEMORY,
                    "%llu elements need %llu B of scratch memory, the device can allocate %llu",
                    (unsigned long long)problem->max_n, (unsigned long long)answer->scratch_bytes,
                    (unsigned long long)most);
}

static inline int rh_has_extension(const rh_device *device, const char *name) {
  return device->extensions && strstr(device->extensions, name) != NULL;
}

/* True for NVIDIA's own compiler, which accepts inline PTX.  PoCL and Mesa also run on NVIDIA GPUs
 * and report the same vendor id, but have their own compilers. */
static inline int rh_takes_ptx(const rh_device *device) {
  return device->vendor_id == 0x10de && device->kind == RH_DEVICE_GPU &&
         (rh_has_extension(device, "cl_nv_compiler_options") ||
          rh_has_extension(device, "cl_nv_create_buffer"));
}

/* True if the device supports kernels/prelude/shuffles.cl: pass -DRH_SHUFFLES=1, else =0.  The
 * kernel cannot test this itself: compilers declare functions that the device lacks. */
static inline int rh_has_shuffles(const rh_device *device) {
  return rh_takes_ptx(device) || rh_has_extension(device, "cl_khr_subgroup_shuffle") ||
         rh_has_extension(device, "cl_intel_subgroups");
}

/* The depth of rh_group_shuffle_tree: the trees in the sub-groups, then the tree in the first
 * sub-group over the others' values.  If there are more sub-groups than lanes, each lane first
 * combines several values. */
static inline uint64_t rh_group_depth(const rh_device *device, uint64_t group) {
  uint64_t lanes = device->subgroup_min ? device->subgroup_min : 1;
  if (!rh_has_shuffles(device)) return rh_log2_up(group);
  return 2 * rh_log2_up(group) + rh_divide_up(group, lanes * lanes);
}

/* ---- Setting up and running ---- */

/* A kernel that will run in groups of `group` work-items.  Declines if this kernel does not support
 * as many; only its build shows that, because it depends on registers. */
static inline rh_status rh_group_kernel(const rh_host *host, struct _cl_program *program,
                                        const char *name, uint64_t group,
                                        struct _cl_kernel **kernel) {
  uint32_t max_group = 0;
  char what[128];
  RH_TRY(host->kernel(host, program, name, kernel, &max_group));
  if (group <= max_group) return RH_OK;
  snprintf(what, sizeof what,
           "kernel '%s' supports work-groups of at most %u on this device, not "
           "%llu",
           name, max_group, (unsigned long long)group);
  return host->fail(host, RH_DECLINED, 0, what);
}

/* The compiler option for a device's newest OpenCL C, for kernels that need more than 1.2.  An
 * OpenCL 3 device without all of 2.0 reports 1.2 but accepts 3.0. */
static inline const char *rh_newest_language(const rh_device *device) {
  return device->cl_version >= 200 && device->cl_version < 300 ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
}

/* Arguments of a launch.  They live in the caller's frame until the launch returns. */
#define RH_U64(x)                                                                                  \
  {                                                                                                \
    RH_ARG_VALUE, sizeof(uint64_t), &(const uint64_t) { x }                                        \
  }
#define RH_U32(x)                                                                                  \
  {                                                                                                \
    RH_ARG_VALUE, sizeof(uint32_t), &(const uint32_t) { x }                                        \
  }
#define RH_BUFFER(mem)                                                                             \
  {                                                                                                \
    RH_ARG_BUFFER, sizeof(struct _cl_mem *), &(struct _cl_mem *const) { mem }                      \
  }
/* For RH_OPERANDS_PARAMETERS: what the run reads. */
#define RH_OPERANDS_OF(run)                                                                        \
  { RH_ARG_OPERANDS, sizeof(struct _cl_mem *), &(run)->input }
#define RH_LOCAL(n)                                                                                \
  { RH_ARG_LOCAL, (uint32_t)(n), NULL }

/* rh_launch(host, kernel, "tiles", global, local, RH_BUFFER(in), RH_U64(n), ...) */
#define rh_launch(host, kernel, stage, global, local, ...)                                         \
  (host)->launch(host, kernel, global, local, (const rh_arg[]){__VA_ARGS__},                       \
                 sizeof((const rh_arg[]){__VA_ARGS__}) / sizeof(rh_arg), stage)

/* ---- The last step: combining partial results in index order, on the host or on the device ----
 * If an article ends with the host combining a few partial results, its strategy offers a choice:
 *
 *     [FINISH] = RH_FINISH_PARAM                 in the table of parameters
 *     rh_finish_query(answer, problem, count, on_device)            in query
 *     rh_finish_options(on_device)                                  as build's options
 *     rh_finish_setup(&self->finish, host, problem, program, count, on_device)
 *     rh_finish_run(&self->finish, run)                             at the end of run
 *
 * The partial results are in finish.partials, which setup allocates. */
#define RH_FINISH_PARAM                                                                            \
  {                                                                                                \
    .key = "finish", .doc = "where the partial results are combined", .choices = "host|device",    \
    .min = 0, .max = 1, .initial = 0, .step = 1, .flags = RH_PARAM_REBUILD                         \
  }

typedef struct rh_finish {
  const rh_host *host;
  const rh_op *op;
  struct _cl_mem *partials;
  uint64_t count, group;
  struct _cl_kernel *kernel; /* null: on the host */
  unsigned char *values;     /* the partial results on the host */
} rh_finish;

static inline uint64_t rh_finish_group(const rh_problem *problem, uint64_t count) {
  uint64_t group = 256;
  while (group > 1 && (group / 2 >= count || group > problem->device->max_group ||
                       group * problem->op->value_size > problem->device->local_bytes))
    group /= 2;
  return group;
}

/* Adds this step's costs to the answer; call it when the other fields are filled. */
static inline void rh_finish_query(rh_answer *answer, const rh_problem *problem, uint64_t count,
                                   int64_t on_device) {
  uint64_t group = rh_finish_group(problem, count), local = group * problem->op->value_size;
  answer->scratch_bytes += count * problem->op->value_size;
  answer->finishes_on_host = !on_device;
  answer->launches += on_device ? 1 : 0;
  answer->depth += on_device ? rh_divide_up(count, group) + rh_log2_up(group) : count;
  if (on_device && answer->local_bytes < local) answer->local_bytes = local;
}

static inline const char *rh_finish_options(int64_t on_device) {
  return on_device ? "-DRH_FINISH" : "";
}

static inline rh_status rh_finish_setup(rh_finish *finish, const rh_host *host,
                                        const rh_problem *problem, struct _cl_program *program,
                                        uint64_t count, int64_t on_device) {
  *finish =
      (rh_finish){host, problem->op, NULL, count, rh_finish_group(problem, count), NULL, NULL};
  RH_TRY(host->scratch(host, count * problem->op->value_size, &finish->partials));
  if (on_device) return rh_group_kernel(host, program, "rh_finish", finish->group, &finish->kernel);
  finish->values = (unsigned char *)host->alloc(host, count * problem->op->value_size);
  return finish->values ? RH_OK : host->fail(host, RH_E_NOMEM, 0, "no memory for partial results");
}

static inline rh_status rh_finish_run(const rh_finish *finish, const rh_run *run) {
  const rh_host *host = finish->host;
  uint32_t size = finish->op->value_size;
  if (finish->kernel)
    return rh_launch(host, finish->kernel, "finish", finish->group, finish->group,
                     RH_BUFFER(finish->partials), RH_U64(finish->count),
                     RH_LOCAL(finish->group * size), RH_BUFFER(run->result),
                     RH_U64(run->result_index));
  RH_TRY(host->read(host, finish->partials, 0, finish->count * size, finish->values));
  /* Byte by byte: a value's size is known only at run time. */
  for (uint32_t k = 0; k < size; k++)
    ((unsigned char *)run->host_result)[k] = ((const unsigned char *)finish->op->identity)[k];
  for (uint64_t k = 0; k < finish->count; k++)
    rh_op_combine(finish->op, run->host_result, finish->values + k * size);
  return RH_OK;
}

/* ---- Levels: one launch each, in which every group reduces to one value, until few are left ----
 *
 *     rh_levels_query(&self->levels, answer, problem)   in query, with group, fan and until set
 *     rh_levels_setup(&self->levels, host, problem, program, "tiled_1_elements", "tiled_1_values")
 *     rh_levels_run(&self->levels, run, to, at, &left)   the last level's values go to to[at] ...
 *
 * The first level reads elements, the later ones the values of the level before; two buffers
 * alternate.  Both kernels take (from, first, n, local values, to, at), where the first's `from`
 * may be RH_OPERANDS_PARAMETERS: group g reduces the `fan`
 * elements or values from from[first + g*fan] on, of n, and writes to[at + g]. */
typedef struct rh_levels {
  const rh_host *host;
  struct _cl_kernel *elements, *values;
  struct _cl_mem *between[2];
  uint64_t group;      /* work-items in a group, each with one value in local memory */
  uint64_t fan;        /* elements that a group reduces to one value; at least 2 */
  uint64_t until;      /* values that may remain at the end */
  uint64_t value_size; /* bytes */
} rh_levels;

/* The number of groups, and so of values, of a level over n. */
static inline uint64_t rh_levels_groups(const rh_levels *levels, uint64_t n) {
  return n ? rh_divide_up(n, levels->fan) : 1;
}

/* The most values that the last level can write; fewer elements than max_n may give more. */
static inline uint64_t rh_levels_most(const rh_levels *levels, const rh_problem *problem) {
  uint64_t groups = rh_levels_groups(levels, problem->max_n);
  return groups < levels->until ? groups : levels->until;
}

/* Adds the levels' costs to the answer, without the memory for the last level's values.  Declines
 * if the levels do not shrink. */
static inline rh_status rh_levels_query(rh_levels *levels, rh_answer *answer,
                                        const rh_problem *problem) {
  if (levels->fan < 2)
    return rh_decline(answer, RH_WHY_PARAM,
                      "groups of 1 work-item do not reduce anything; the least is 2");
  uint64_t n = rh_levels_groups(levels, problem->max_n), count = 1;
  levels->value_size = problem->op->value_size;
  for (; n > levels->until; n = rh_levels_groups(levels, n), count++)
    if (count <= 2) answer->scratch_bytes += n * levels->value_size;
  answer->launches += (uint32_t)count;
  answer->depth += count * rh_log2_up(levels->fan);
  return RH_OK;
}

static inline rh_status rh_levels_setup(rh_levels *levels, const rh_host *host,
                                        const rh_problem *problem, struct _cl_program *program,
                                        const char *elements, const char *values) {
  uint64_t n = rh_levels_groups(levels, problem->max_n);
  levels->host = host;
  for (int k = 0; k < 2 && n > levels->until; k++, n = rh_levels_groups(levels, n))
    RH_TRY(host->scratch(host, n * levels->value_size, &levels->between[k]));
  RH_TRY(rh_group_kernel(host, program, elements, levels->group, &levels->elements));
  return rh_group_kernel(host, program, values, levels->group, &levels->values);
}

/* *left receives the number of values that the last level wrote. */
static inline rh_status rh_levels_run(const rh_levels *levels, const rh_run *run,
                                      struct _cl_mem *to, uint64_t at, uint64_t *left) {
  struct _cl_mem *from = run->input;
  uint64_t first = run->first, n = run->n;
  for (unsigned level = 0;; level++) {
    uint64_t groups = rh_levels_groups(levels, n);
    int last = groups <= levels->until;
    struct _cl_mem *into = last ? to : levels->between[level % 2];
    const rh_arg source = {level ? RH_ARG_BUFFER : RH_ARG_OPERANDS, sizeof from, &from};
    RH_TRY(rh_launch(levels->host, level ? levels->values : levels->elements,
                     level ? "values" : "elements", groups * levels->group, levels->group, source,
                     RH_U64(first), RH_U64(n), RH_LOCAL(levels->group * levels->value_size),
                     RH_BUFFER(into), RH_U64(last ? at : 0)));
    *left = n = groups;
    if (last) return RH_OK;
    from = into;
    first = 0;
  }
}

#endif
