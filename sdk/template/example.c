/* example: a strategy to start from.  SPDX-License-Identifier: MIT
 *
 * One work-group walks over a segment and ends with a tree: one launch for all segments, one result
 * for each; without a layout, the whole input is one.  It is correct on every device, for every
 * operator and type, and slow for long segments.  Improving that is up to you.
 *
 * To make it your own, change the kernel and the launch, and decline in `query` what you cannot
 * serve.  Keep `plan` as the one function that both `query` and `setup` call. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_SERVES_LAYOUTS */
#include "example.cl.h"
#include <redhost/kit.h>

enum { GROUP };
enum { MOST_GROUPS = 1024 }; /* enough to fill a device */
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
  const rh_layout *layout = rh_problem_layout(problem);
  uint32_t value_size = problem->op->value_size;
  if (layout && layout->kind != RH_LAYOUT_AXIS && layout->kind != RH_LAYOUT_OFFSETS)
    return rh_decline(answer, RH_WHY_SIZE, "a layout of kind %u is unknown", layout->kind);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, value_size, &self->group, answer));
  self->local_bytes = self->group * value_size;
  answer->score = 1; /* `--run auto` takes the highest score: be honest */
  answer->launches = 1;
  /* The most operations that one element passes through; the tolerated rounding error follows from
   * it.  max_n is that of the longest segment. */
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

/* Reduces each segment of elements first to first + n - 1 of the input to one value of the result.
 * No allocation, no build, no wait. */
static rh_status run(void *instance, const rh_run *run) {
  const state *self = instance;
  const rh_layout *given = rh_run_layout(run);
  const rh_layout layout =
      given ? *given : (rh_layout){.segments = 1, .length = run->n, .inner = 1};
  uint64_t groups = layout.segments < MOST_GROUPS ? layout.segments : MOST_GROUPS;
  return rh_launch(self->host, self->kernel, "reduce", groups * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(layout.segments),
                   RH_U64(layout.length), RH_U64(layout.inner), RH_BUFFER(layout.device_starts),
                   RH_BUFFER(layout.device_stops), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "example",
    .summary = "one work-group strides over each segment, then a tree",
    .about = "The plugin template: one work-group reads a segment in strides of its size and "
             "combines its partial results by a tree in local memory. Without segments, the whole "
             "input is one.",
    .version = "1.0",
    .author = "your name",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_SERVES_LAYOUTS,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
