/* example: a strategy to start from.  SPDX-License-Identifier: MIT
 *
 * One work-group walks over the whole input and ends with a tree: one launch, one result.  It is
 * correct on every device, for every operator and type, and slow on every device with more than one
 * compute unit.  Improving that is up to you.
 *
 * To make it your own, change the kernel and the launch, and decline in `query` what you cannot
 * serve.  Keep `plan` as the one function that both `query` and `setup` call. */
#include "example.cl.h"
#include <redhost/kit.h>

enum { GROUP };
static const rh_param params[] = {
    [GROUP] = RH_NUMBER("group", 0, 0, 4096, "work-items; 0: 256, or what the device takes"),
};

typedef struct state {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, local_bytes;
} state;

/* The launch's shape and costs. */
static rh_status plan(const rh_problem *problem, const int64_t *values, state *self,
                      rh_answer *answer) {
  uint32_t value_size = problem->op->value_size;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, value_size, &self->group, answer));
  self->local_bytes = self->group * value_size;
  answer->score = 1; /* `--run auto` takes the highest score: be honest */
  answer->launches = 1;
  /* The most operations that one element passes through; the tolerated rounding error follows from
   * it. */
  answer->depth = rh_divide_up(problem->max_n, self->group) + rh_log2_up(self->group);
  return RH_OK;
}

/* Can this problem be served? Pure: no allocation, no OpenCL. */
static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  state shape;
  return plan(problem, values, &shape, answer);
}

/* Prepares everything that run needs.  The host frees what its services return. */
static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  state *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "example.cl", example_cl, "", &program));
  return rh_group_kernel(host, program, "reduce", self->group, &self->kernel);
}

/* Reduces elements first to first + n - 1 of the input to one value of the result.  No allocation,
 * no build, no wait. */
static rh_status run(void *instance, const rh_run *run) {
  const state *self = instance;
  return rh_launch(self->host, self->kernel, "reduce", self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "example",
    .summary = "one work-group strides over the input, then a tree",
    .about = "The plugin template: one work-group reads the whole input in strides of its size and "
             "combines its partial results by a tree in local memory.",
    .version = "1.0",
    .author = "your name",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
