/* subgroup: block loads of whole sub-groups, vectors in local memory, a tree over them. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "subgroup.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), the last kernel, which reads memory in "
    "another way. A sub-group of 16 work-items reads a block of 16 times 8 elements in one load, "
    "and every work-item combines vectors of 8, lane by lane. The vectors go to local memory and "
    "through a tree, and the host gets the 8 lanes of every group. With cl_intel_subgroups the "
    "loads are intel_sub_group_block_read8 and its variants; elsewhere 16 neighbouring work-items "
    "load the same elements one by one, at adjacent addresses.";

enum { GROUP, LOADS, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [LOADS] = RH_NUMBER("loads", 8, 1, 8192, "loads of 8 elements for each work-item"),
    [FINISH] = RH_FINISH_PARAM,
};

enum { WIDTH = 8 };

typedef struct subgroup {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, loads, local_bytes;
  rh_finish finish;
} subgroup;

/* The number of groups for n elements; each writes WIDTH partial results. */
static uint64_t groups_for(const subgroup *self, uint64_t n) {
  return rh_whole_groups(n, self->group * self->loads * WIDTH) /
         (self->group * self->loads * WIDTH);
}

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, subgroup *self,
                      rh_answer *answer) {
  uint32_t vector_size = WIDTH * problem->op->value_size;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, vector_size, &self->group, answer));
  self->local_bytes = self->group * vector_size;
  self->loads = (uint64_t)values[LOADS];
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 320 : 450;
  answer->launches = 1;
  /* The elements before the first block; the blocks; the tree. */
  answer->depth = 1 + self->loads + rh_log2_up(self->group);
  rh_finish_query(answer, problem, WIDTH * groups_for(self, problem->max_n), values[FINISH]);
  RH_TRY(rh_fit_scratch(problem, answer));
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  subgroup shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  subgroup *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[96];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "-DRH_WIDTH=%d -DRH_SUBGROUP=16 %s %s", WIDTH,
           problem->device->features & RH_INTEL_SUBGROUP_BLOCKS ? "-DRH_SUBGROUP_BLOCKS" : "",
           rh_finish_options(values[FINISH]));
  RH_TRY(host->build(host, "subgroup.cl", subgroup_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "subgroup", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program,
                         WIDTH * groups_for(self, problem->max_n), values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const subgroup *self = instance;
  uint64_t groups = groups_for(self, run->n);
  rh_finish finish = self->finish;
  finish.count = WIDTH * groups;
  RH_TRY(rh_launch(self->host, self->kernel, "blocks", groups * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n), RH_U64(self->loads),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(finish.partials)));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "subgroup",
    .summary = "loads of 8 by whole sub-groups, then a tree over vectors; the host combines their "
               "lanes",
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
