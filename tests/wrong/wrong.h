/* Strategies that load and run, and whose result is wrong in one way each: what the checks of
 * results must catch.  All of them are this one, a single work-group over the whole input, with a
 * kernel of their own. */
#ifndef TESTS_WRONG_H
#define TESTS_WRONG_H

#include <redhost/kit.h>

typedef struct wrong {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t local_bytes;
} wrong;

enum { WRONG_GROUP = 64 };

static rh_status wrong_query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  answer->launches = 1;
  answer->local_bytes = WRONG_GROUP * problem->op->value_size;
  answer->depth = rh_divide_up(problem->max_n, WRONG_GROUP) + rh_log2_up(WRONG_GROUP);
  return RH_OK;
}

static rh_status wrong_setup(const rh_host *host, const rh_problem *problem, const char *source,
                             void **instance) {
  wrong *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->local_bytes = WRONG_GROUP * problem->op->value_size;
  RH_TRY(host->build(host, "wrong.cl", source, "", &program));
  return rh_group_kernel(host, program, "wrong", WRONG_GROUP, &self->kernel);
}

static rh_status wrong_run(void *instance, const rh_run *run) {
  const wrong *self = instance;
  return rh_launch(self->host, self->kernel, "wrong", WRONG_GROUP, WRONG_GROUP,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

/* WRONG(name, "what is wrong", how a work-item reduces, what it does with `all`) */
#define WRONG(name_, summary_, promises_, body, end)                                               \
  static const char source[] =                                                                     \
      "__kernel void wrong(__global const rh_element *input, ulong first, ulong n,\n"              \
      "                    __local rh_value *scratch, __global rh_value *result, ulong at) {\n"    \
      "  input += first;\n  ulong lid = get_local_id(0), size = get_local_size(0);\n"              \
      "  rh_value mine = rh_identity();\n  " body "\n"                                             \
      "  rh_value all = rh_group_tree(scratch, mine);\n  " end "\n}\n";                            \
  static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,    \
                         void **instance) {                                                        \
    (void)values;                                                                                  \
    return wrong_setup(host, problem, source, instance);                                           \
  }                                                                                                \
  static const rh_strategy strategy = {                                                            \
      RH_STRATEGY_SIZE,      .name = name_,                                                        \
      .summary = summary_,   .about = "A wrong strategy for tests: " summary_ ".",                 \
      .version = "1.0",      .author = "the redhost authors",                                      \
      .license = "MIT",      .device_kinds = RH_DEVICE_ANY_CL,                                     \
      .promises = promises_, .determinism = RH_BITS_SAME_RUN,                                      \
      .query = wrong_query,  .setup = setup,                                                       \
      .run = wrong_run,                                                                            \
  };                                                                                               \
  RH_PLUGIN(&strategy)

#define WALK  "for (ulong i = lid; i < n; i += size) mine = rh_combine(mine, rh_load(input, i));"
#define STORE "if (lid == 0) result[at] = all;"

#endif
