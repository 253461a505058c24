/* shuffle: two stages, whose groups meet by shuffles. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "shuffle.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "Beyond the articles. Over two_stage_float4, the work-items of a sub-group (a warp, on NVIDIA) "
    "exchange their values in registers, and local memory holds one value per sub-group: two "
    "barriers instead of one per level. It uses the sub-group shuffles of Khronos or Intel, or "
    "PTX's shfl.sync; for minima and maxima it uses redux.sync, which reduces a warp's 32 values "
    "at once. After \"Faster Parallel Reductions on Kepler\" (NVIDIA, 2014).";

enum { GROUP, GROUPS_PER_UNIT };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [GROUPS_PER_UNIT] = RH_NUMBER("groups_per_unit", 8, 1, 1024, "groups for each compute unit"),
};

typedef struct shuffle {
  const rh_host *host;
  struct _cl_kernel *kernel, *finish;
  struct _cl_mem *partials;
  uint64_t group, groups, local_bytes;
} shuffle;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, shuffle *self,
                      rh_answer *answer) {
  const rh_device *device = problem->device;
  uint32_t value_size = problem->op->value_size;
  if (!rh_has_shuffles(device))
    return rh_decline(answer, RH_WHY_DEVICE,
                      "device has no sub-group shuffles (cl_khr_subgroup_shuffle)");
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, value_size, &self->group, answer));
  self->local_bytes = self->group * value_size;
  self->groups = device->compute_units * (uint64_t)values[GROUPS_PER_UNIT];
  answer->score = device->kind == RH_DEVICE_CPU ? 300 : 800;
  answer->launches = 2;
  answer->scratch_bytes = self->groups * value_size;
  /* Vectors; their 4 lanes; at most 6 elements outside the vectors; the group's tree; the tree over
   * partial results. */
  answer->depth = rh_divide_up(problem->max_n, 4 * self->groups * self->group) + 4 + 6 +
                  rh_divide_up(self->groups, self->group) +
                  2 * rh_group_depth(device, self->group) + 2;
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  shuffle shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  shuffle *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[64];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "%s -DRH_SHUFFLES=1 -DRH_WIDTH=4",
           problem->device->features & RH_SUBGROUPS ? rh_newest_language(problem->device) : "");
  RH_TRY(host->build(host, "shuffle.cl", shuffle_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "shuffle_partials", self->group, &self->kernel));
  RH_TRY(rh_group_kernel(host, program, "shuffle_finish", self->group, &self->finish));
  return host->scratch(host, answer.scratch_bytes, &self->partials);
}

static rh_status run(void *instance, const rh_run *run) {
  const shuffle *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "chunks", self->groups * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->partials)));
  return rh_launch(self->host, self->finish, "finish", self->group, self->group,
                   RH_BUFFER(self->partials), RH_U64(self->groups), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "shuffle",
    .summary = "two_stage_float4 with groups that reduce by shuffles",
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
    .extension = rh_serves_any_once,
};
RH_PLUGIN(&strategy);
