/* The base of most strategies of the zoo: a correct one, with one work-group for the whole input
 * and a tree.  A strategy replaces single parts, so that what is written of it is its fault, and a
 * plugin has many:
 *
 *     BUT_RUN(name) { ... }
 *     RH_PLUGIN(&strategy_name, ...); */
#ifndef ZOO_RIGHT_H
#define ZOO_RIGHT_H

#include <redhost/kit.h>

typedef struct right {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, local_bytes, max_n;
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

static inline rh_status right_launch(const right *self, const rh_run *run, uint64_t first,
                                     uint64_t n) {
  return rh_launch(self->host, self->kernel, "right", self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(first), RH_U64(n), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static inline rh_status right_run(void *instance, const rh_run *run) {
  const right *self = instance;
  if (run->n > self->max_n)
    return self->host->fail(self->host, RH_E_INVALID, 0, "more elements than it was set up for");
  return right_launch(self, run, run->first, run->n);
}

/* ---- The strategy; a later field replaces an earlier one ---- */
#define RIGHT(name_, ...)                                                                          \
  {                                                                                                \
    RH_STRATEGY_SIZE, .name = name_, .summary = name_, .about = "Right but for one thing.",        \
                      .version = "1.0", .author = "the redhost authors", .license = "MIT",         \
                      .device_kinds = RH_DEVICE_ANY_CL, .determinism = RH_BITS_SAME_RUN,           \
                      .query = right_query, .setup = right_setup, .run = right_run, __VA_ARGS__    \
  }
#define RIGHT_BUT(name_, ...) static const rh_strategy strategy_##name_ = RIGHT(#name_, __VA_ARGS__)

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
#define VARIANT(name_, ...)    UNUSED RIGHT_BUT(name_, __VA_ARGS__)
#define ZOO_STRATEGY_OF(name_) strategy_##name_
#define ZOO_STRATEGY_(name_)   ZOO_STRATEGY_OF(name_)
#define ZOO_STRATEGY           ZOO_STRATEGY_(ZOO_VARIANT)

/* Only the kernel is another: how a work-item reduces, and what it does with `all`. */
#define RIGHT_BUT_FOR(name_, summary_, promises_, body, end)                                       \
  SETUP(name_) {                                                                                   \
    return right_setup_of(host, problem, RIGHT_KERNEL(body, end), instance);                       \
  }                                                                                                \
  UNUSED RIGHT_BUT(name_, .summary = summary_, .promises = promises_, .setup = name_##_setup)

#endif
