/* top_down_single: all levels of top_down in one kernel, in one work-group. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "top_down_single.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reductions\" (CS 441/641, Dr. Lawlor), topdownAllFloats. Over top_down, the loop "
    "over the levels moves into the kernel: there is one launch, and a barrier with a global fence "
    "between levels. That is the article's fastest row (half of bottom-up's time for 8000 floats), "
    "but a barrier synchronizes only the work-items of one group, so the loop is correct for one "
    "group and no more. Here a single group is launched: its work-items first stride over the "
    "whole input, each with a running result, and the loop reduces these, one per work-item, in "
    "global memory. A single compute unit does all the work.";

enum { GROUP };
static const rh_param params[] = {
    [GROUP] = RH_NUMBER("group", 0, 0, 4096,
                        "work-items in the only group; 0: 256, or what the device takes"),
};

typedef struct top_down_single {
  const rh_host *host;
  struct _cl_kernel *kernel;
  struct _cl_mem *arr; /* one value for each work-item */
  uint64_t group, arr_bytes;
} top_down_single;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, top_down_single *self,
                      rh_answer *answer) {
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->arr_bytes = self->group * problem->op->value_size;
  answer->score = 40;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->group) + rh_log2_up(self->group);
  answer->scratch_bytes = self->arr_bytes;
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  top_down_single shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  top_down_single *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->scratch(host, self->arr_bytes, &self->arr));
  RH_TRY(host->build(host, "top_down_single.cl", top_down_single_cl, "", &program));
  return rh_group_kernel(host, program, "top_down_single", self->group, &self->kernel);
}

static rh_status run(void *instance, const rh_run *run) {
  const top_down_single *self = instance;
  return rh_launch(self->host, self->kernel, "all", self->group, self->group, RH_OPERANDS_OF(run),
                   RH_U64(run->first), RH_U64(run->n), RH_BUFFER(self->arr), RH_BUFFER(run->result),
                   RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "top_down_single",
    .summary = "one group strides over the input and runs the whole tree in the same launch",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
