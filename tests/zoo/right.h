/* The base of most strategies of the zoo: a correct one, with one work-group for the whole input
 * and a tree.  A strategy replaces single parts, so that what is written of it is its fault, and a
 * plugin has many:
 *
 *     BUT_RUN(name) { ... }
 *     RIGHT_PLUGIN; */
#ifndef ZOO_RIGHT_H
#define ZOO_RIGHT_H

#include "listed.h"

#include <redhost/kit.h>
#include <string.h>

typedef struct right {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, local_bytes, max_n;
  const rh_op *op;
  uint64_t runs; /* earlier runs, for plugins that count them */
  void *own;     /* state that a plugin adds */
} right;

enum { RIGHT_GROUP = 64 };

/* ---- The kernel: how a work-item reduces, and how `all` is stored ---- */
#define RIGHT_KERNEL(body, end)                                                                    \
  "__kernel void right(__global const rh_element *input, ulong first, ulong n,\n"                  \
  "                    __local rh_value *scratch, __global rh_value *result, ulong at) {\n"        \
  "  input += first;\n  ulong lid = get_local_id(0), size = get_local_size(0);\n"                  \
  "  rh_value mine = rh_identity();\n  " body "\n"                                                 \
  "  rh_value all = rh_group_tree(scratch, mine);\n  " end "\n}\n"
#define WALK  "for (ulong i = lid; i < n; i += size) mine = rh_combine(mine, rh_load(input, i));"
#define STORE "if (lid == 0) result[at] = all;"

/* ---- query ---- */

/* Unknown numbers mean "decline". */
static inline rh_status right_knows(const rh_problem *problem, rh_answer *answer) {
  const rh_op *op = problem->op;
  if (problem->type < RH_TYPE_i8 || problem->type > RH_TYPE_f64)
    return rh_decline(answer, RH_WHY_TYPE, "type %u is not known", problem->type);
  if (op->id < RH_OP_sum || (op->id > RH_OP_argamax && op->id < 0x10000))
    return rh_decline(answer, RH_WHY_OP, "operator %u is not known", op->id);
  if (!(problem->device->kind & RH_DEVICE_ANY_CL))
    return rh_decline(answer, RH_WHY_DEVICE, "kind of device 0x%x is not known",
                      problem->device->kind);
  return RH_OK;
}

static inline rh_status right_plan(const rh_problem *problem, right *self, rh_answer *answer) {
  uint32_t size = problem->op->value_size;
  RH_TRY(right_knows(problem, answer));
  RH_TRY(rh_fit_group(problem, "group", 0, RIGHT_GROUP, size, &self->group, answer));
  self->local_bytes = self->group * size;
  self->max_n = problem->max_n;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->group) + rh_log2_up(self->group);
  return RH_OK;
}

static inline rh_status right_query(const rh_problem *problem, const int64_t *values,
                                    rh_answer *answer) {
  right shape;
  (void)values;
  return right_plan(problem, &shape, answer);
}

/* ---- setup ---- */

static inline rh_status right_begin(const rh_host *host, const rh_problem *problem,
                                    void **instance) {
  right *self = host->alloc(host, sizeof *self);
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->op = problem->op;
  if (right_plan(problem, self, &answer) == RH_OK) return RH_OK;
  return host->fail(host, RH_DECLINED, 0, answer.reason);
}

static inline rh_status right_build(right *self, const char *source, const char *options) {
  struct _cl_program *program;
  RH_TRY(self->host->build(self->host, "right.cl", source, options, &program));
  return rh_group_kernel(self->host, program, "right", self->group, &self->kernel);
}

static inline rh_status right_setup_of(const rh_host *host, const rh_problem *problem,
                                       const char *source, void **instance) {
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, source, "");
}

static inline rh_status right_setup(const rh_host *host, const rh_problem *problem,
                                    const int64_t *values, void **instance) {
  (void)values;
  return right_setup_of(host, problem, RIGHT_KERNEL(WALK, STORE), instance);
}

/* ---- run ---- */

static inline rh_status right_launch_groups(const right *self, const rh_run *run, uint64_t groups) {
  return rh_launch(self->host, self->kernel, "right", groups * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static inline rh_status right_launch(const right *self, const rh_run *run) {
  return right_launch_groups(self, run, 1);
}

static inline rh_status right_run(void *instance, const rh_run *run) {
  const right *self = instance;
  if (run->n > self->max_n)
    return self->host->fail(self->host, RH_E_INVALID, 0, "more elements than it was set up for");
  return right_launch(self, run);
}

/* ---- The strategy; a later field replaces an earlier one ---- */
#define RIGHT(name_, ...)                                                                          \
  {                                                                                                \
    RH_STRATEGY_SIZE, .name = name_, .summary = name_, .about = "Right but for one thing.",        \
                      .version = "1.0", .author = "the redhost authors", .license = "MIT",         \
                      .device_kinds = RH_DEVICE_ANY_CL, .determinism = RH_BITS_SAME_RUN,           \
                      .query = right_query, .setup = right_setup, .run = right_run, __VA_ARGS__    \
  }
#define RIGHT_ALONE(name_, ...)                                                                    \
  static const rh_strategy strategy_##name_ = RIGHT(#name_, __VA_ARGS__)
#define RIGHT_BUT(name_, ...)                                                                      \
  RIGHT_ALONE(name_, __VA_ARGS__);                                                                 \
  LISTED(strategy_##name_)
#define RIGHT_PLUGIN                                                                               \
  LISTED_PLUGIN(.abi_minor = RH_ABI_MINOR, .min_host_minor = RH_PLUGIN_MIN_HOST_MINOR)

/* The heads of a strategy's own functions: RUN(x) { ... } is x_run(instance, run). */
#define UNUSED __attribute__((unused))
#define QUERY(name_)                                                                               \
  static rh_status name_##_query(const rh_problem *problem, UNUSED const int64_t *values,          \
                                 rh_answer *answer)
#define SETUP(name_)                                                                               \
  static rh_status name_##_setup(const rh_host *host, const rh_problem *problem,                   \
                                 UNUSED const int64_t *values, void **instance)
#define RUN(name_)      static rh_status name_##_run(UNUSED void *instance, const rh_run *run)
#define TEARDOWN(name_) static void name_##_teardown(UNUSED void *instance)

/* The same, and the strategy that is right but for this function, and what else is named. */
#define BUT_QUERY(...)    BUT(QUERY, query, __VA_ARGS__, )
#define BUT_SETUP(...)    BUT(SETUP, setup, __VA_ARGS__, )
#define BUT_RUN(...)      BUT(RUN, run, __VA_ARGS__, )
#define BUT_TEARDOWN(...) BUT(TEARDOWN, teardown, __VA_ARGS__, )
#define BUT(head_, field_, name_, ...)                                                             \
  head_(name_);                                                                                    \
  RIGHT_BUT(name_, .field_ = name_##_##field_, __VA_ARGS__);                                       \
  head_(name_)

/* A source with lines VARIANT(NAME, ...) is compiled for each of them, to a plugin of that name,
 * with ZOO_VARIANT as NAME; it ends with RH_PLUGIN(&ZOO_STRATEGY). */
#define VARIANT(name_, ...)    UNUSED RIGHT_ALONE(name_, __VA_ARGS__)
#define ZOO_STRATEGY_OF(name_) strategy_##name_
#define ZOO_STRATEGY_(name_)   ZOO_STRATEGY_OF(name_)
#define ZOO_STRATEGY           ZOO_STRATEGY_(ZOO_VARIANT)

/* ---- Strategies that differ in little: BUT_X(NAME, what differs, other fields...); ---- */
#define BUT_BODY(head_, field_, name_, body_, ...)                                                 \
  head_(name_) body_ RIGHT_BUT(name_, .field_ = name_##_##field_, __VA_ARGS__)

/* In query's answer. */
#define BUT_ANSWER(...) ANSWER(__VA_ARGS__, )
#define ANSWER(name_, change_, ...)                                                                \
  BUT_BODY(                                                                                        \
      QUERY, query, name_,                                                                         \
      {                                                                                            \
        RH_TRY(right_query(problem, values, answer));                                              \
        change_;                                                                                   \
        return RH_OK;                                                                              \
      },                                                                                           \
      __VA_ARGS__)

/* In the kernel: how a work-item reduces, and what it does with `all`. */
#define BUT_KERNEL(...) KERNEL(__VA_ARGS__, )
#define KERNEL(name_, walk_, end_, ...)                                                            \
  BUT_BODY(                                                                                        \
      SETUP, setup, name_,                                                                         \
      { return right_setup_of(host, problem, RIGHT_KERNEL(walk_, end_), instance); }, __VA_ARGS__)

/* In what setup does at its end. */
#define BUT_THEN(...) THEN(__VA_ARGS__, )
#define THEN(name_, change_, ...)                                                                  \
  BUT_BODY(                                                                                        \
      SETUP, setup, name_,                                                                         \
      {                                                                                            \
        RH_TRY(right_setup(host, problem, values, instance));                                      \
        UNUSED right *self = *instance;                                                            \
        change_;                                                                                   \
        return RH_OK;                                                                              \
      },                                                                                           \
      __VA_ARGS__)

/* In what run does first. */
#define BUT_FIRST(...) FIRST(__VA_ARGS__, )
#define FIRST(name_, change_, ...)                                                                 \
  BUT_BODY(                                                                                        \
      RUN, run, name_,                                                                             \
      {                                                                                            \
        UNUSED right *self = instance;                                                             \
        change_;                                                                                   \
        return right_run(instance, run);                                                           \
      },                                                                                           \
      __VA_ARGS__)

/* In what run is told. */
#define BUT_TOLD(...) TOLD(__VA_ARGS__, )
#define TOLD(name_, change_, ...)                                                                  \
  BUT_BODY(                                                                                        \
      RUN, run, name_,                                                                             \
      {                                                                                            \
        UNUSED right *self = instance;                                                             \
        rh_run told = *run;                                                                        \
        change_;                                                                                   \
        return right_launch(self, &told);                                                          \
      },                                                                                           \
      __VA_ARGS__)

/* In the device that query and setup go by: its limits decide the group. */
#define BUT_DEVICE(...) DEVICE(__VA_ARGS__, )
#define DEVICE(name_, change_, ...)                                                                \
  static rh_problem name_##_there(const rh_problem *problem, UNUSED const int64_t *values,         \
                                  rh_device *device) {                                             \
    rh_problem there = *problem;                                                                   \
    *device = *problem->device;                                                                    \
    there.device = device;                                                                         \
    change_;                                                                                       \
    return there;                                                                                  \
  }                                                                                                \
  QUERY(name_) {                                                                                   \
    rh_device device;                                                                              \
    rh_problem there = name_##_there(problem, values, &device);                                    \
    return right_query(&there, values, answer);                                                    \
  }                                                                                                \
  BUT_BODY(                                                                                        \
      SETUP, setup, name_,                                                                         \
      {                                                                                            \
        rh_device device;                                                                          \
        rh_problem there = name_##_there(problem, values, &device);                                \
        return right_setup(host, &there, values, instance);                                        \
      },                                                                                           \
      .query = name_##_query, __VA_ARGS__)
/* ---- Host code ---- */

static inline rh_status on_host_query(const rh_problem *problem, const int64_t *values,
                                      rh_answer *answer) {
  (void)values;
  (void)problem;
  answer->finishes_on_host = 1;
  return RH_OK;
}

static inline rh_status on_host_setup(const rh_host *host, const rh_problem *problem,
                                      const int64_t *values, void **instance) {
  right *self = host->alloc(host, sizeof *self);
  (void)values;
  if (!self) return RH_E_NOMEM;
  *self = (right){.host = host, .op = problem->op};
  *instance = self;
  return RH_OK;
}

static inline rh_status on_host_fold(void *instance, const rh_run *run, void *to, uint64_t first,
                                     uint64_t n) {
  const rh_op *op = ((const right *)instance)->op;
  memcpy(to, op->identity, op->value_size);
  if (n) op->fold(to, run->host_input, first, n);
  return RH_OK;
}

#define ON_HOST(...) HOST(__VA_ARGS__, )
#define HOST(name_, ...)                                                                           \
  BUT(RUN, run, name_, .device_kinds = RH_DEVICE_HOST, .promises = RH_KEEPS_ORDER,                 \
      .query = on_host_query, .setup = on_host_setup, __VA_ARGS__)

#endif
