/* two_stage_ordered: two launches that keep the order of the elements, with coalesced loads. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "two_stage_ordered.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"OpenCL Optimization Case Study: Simple Reductions\" (AMD, 2010) ends its section on two "
    "stages with a work-item that reduces a large contiguous block, for operators that do not "
    "commute, and leaves it as an exercise to make that efficient: neighbouring work-items would "
    "load from addresses far apart. Here each group owns a contiguous chunk and reduces it in "
    "tiles. Coalesced loads bring a tile into local memory, where every work-item reduces its own "
    "contiguous run; the runs are combined in index order, tile after tile, and so are the groups "
    "in the second launch. Over two_stage it does not need an operator that commutes, but every "
    "element passes through local memory.";

enum { GROUP, GROUPS_PER_UNIT, ITEMS };
static const rh_param params[] = {
    [GROUP] = {.key = "group",
               .doc = "work-items in a group; 0: 128, or what fits",
               .min = 0,
               .max = 1024,
               .initial = 0,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [GROUPS_PER_UNIT] = RH_NUMBER("groups_per_unit", 16, 1, 1024, "groups for each compute unit"),
    [ITEMS] = {.key = "items",
               .doc = "elements in a work-item's run; 0: the largest odd number that fits, at most "
                      "31",
               .min = 0,
               .max = 64,
               .initial = 0,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
};

typedef struct two_stage_ordered {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, groups, items, tile_bytes;
  rh_finish finish;
} two_stage_ordered;

enum { SEGMENTS = 16 }; /* as in the kernel */

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, two_stage_ordered *self,
                      rh_answer *answer) {
  uint64_t size = problem->op->value_size, local = problem->device->local_bytes;
  /* The tile holds a run for each work-item, and the runs' results after them. */
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 128, 2 * size, &self->group, answer));
  uint64_t values_fit = local / size < SEGMENTS ? 0 : local / size - SEGMENTS;
  while (!values[GROUP] && self->group > 1 && values_fit < 2 * self->group) self->group /= 2;
  uint64_t room = values_fit / self->group;
  uint64_t most = room < 2 ? 0 : room - 1, fitting = most < 31 ? (most - 1) | 1 : 31;
  self->items = values[ITEMS] ? (uint64_t)values[ITEMS] : fitting;
  if (self->items > most)
    return rh_decline(
        answer, RH_WHY_MEMORY,
        "%llu work-items with runs of %llu values of %llu B: the device has %llu B of "
        "local memory",
        (unsigned long long)self->group, (unsigned long long)self->items, (unsigned long long)size,
        (unsigned long long)local);
  self->tile_bytes = (self->group * (self->items + 1) + SEGMENTS) * size;
  self->groups = problem->device->compute_units * (uint64_t)values[GROUPS_PER_UNIT];
  uint64_t tile = self->group * self->items, chunk = rh_divide_up(problem->max_n, self->groups);
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 200 : 550;
  answer->launches = 1;
  answer->local_bytes = self->tile_bytes;
  /* A run, its segment, the segments, and one combination for each later tile. */
  answer->depth =
      self->items + rh_divide_up(self->group, SEGMENTS) + SEGMENTS + 1 + rh_divide_up(chunk, tile);
  rh_finish_query(answer, problem, self->groups, 1);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  two_stage_ordered shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  two_stage_ordered *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[64];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  /* The group is in the code, too: where local memory is small, the default of `items` depends on
   * it. */
  snprintf(options, sizeof options, "-DRH_FINISH -DRH_ITEMS=%u -DRH_GROUP=%u",
           (unsigned)self->items, (unsigned)self->group);
  RH_TRY(host->build(host, "two_stage_ordered.cl", two_stage_ordered_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "two_stage_ordered", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->groups, 1);
}

static rh_status run(void *instance, const rh_run *run) {
  const two_stage_ordered *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "chunks", self->groups * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_U64(rh_divide_up(run->n, self->groups)), RH_LOCAL(self->tile_bytes),
                   RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "two_stage_ordered",
    .summary = "two stages that keep the order: contiguous runs, transposed in local memory",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
