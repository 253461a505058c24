/* two_stage_float4: two_stage on vectors of 4 elements. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "two_stage_float4.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"OpenCL Optimization Case Study: Simple Reductions\" (AMD, 2010), figure 6. Over two_stage, "
    "every work-item loads and combines vectors of 4 elements, of any type, and its 4 lanes are "
    "combined before the tree: wider loads, fewer instructions per element. Lanes reorder, so the "
    "operator must commute, as the article says.";

enum { GROUP, GROUPS_PER_UNIT };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [GROUPS_PER_UNIT] = RH_NUMBER("groups_per_unit", 4, 1, 1024, "groups for each compute unit"),
};

typedef struct two_stage_float4 {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, groups, local_bytes;
  rh_finish finish;
} two_stage_float4;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, two_stage_float4 *self,
                      rh_answer *answer) {
  uint32_t value_size = problem->op->value_size;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, value_size, &self->group, answer));
  self->local_bytes = self->group * value_size;
  self->groups = problem->device->compute_units * (uint64_t)values[GROUPS_PER_UNIT];
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 500 : 700;
  answer->launches = 1;
  /* Vectors; their 4 lanes; at most 6 elements outside the vectors; the tree. */
  answer->depth = rh_divide_up(problem->max_n, 4 * self->groups * self->group) + 4 + 6 +
                  rh_log2_up(self->group);
  rh_finish_query(answer, problem, self->groups, 1);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  two_stage_float4 shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  two_stage_float4 *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "two_stage_float4.cl", two_stage_float4_cl, "-DRH_FINISH -DRH_WIDTH=4",
                     &program));
  RH_TRY(rh_group_kernel(host, program, "two_stage_float4", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->groups, 1);
}

static rh_status run(void *instance, const rh_run *run) {
  const two_stage_float4 *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "chunks", self->groups * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "two_stage_float4",
    .summary = "two_stage on vectors of 4 elements",
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
