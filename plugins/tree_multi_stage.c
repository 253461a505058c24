/* tree_multi_stage: two launches of trees, then the host. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "tree_multi_stage.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), the second tree. Its first tree (the "
    "same as partial_scalar) is one launch with one element per work-item, and leaves one value "
    "per group to the host, which is a lot of work. This one adds a second launch that runs the "
    "same tree over the first one's values, so that the host combines n divided twice by the group "
    "size. The article notes that more stages could follow until few values are left, and shows "
    "two.";

enum { GROUP, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct tree_multi_stage {
  const rh_host *host;
  struct _cl_kernel *stage_1, *stage_2;
  struct _cl_mem *between;
  uint64_t group, local_bytes;
  rh_finish finish;
} tree_multi_stage;

static uint64_t groups_for(const tree_multi_stage *self, uint64_t n) {
  return n ? rh_divide_up(n, self->group) : 1;
}

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, tree_multi_stage *self,
                      rh_answer *answer) {
  uint32_t value_size = problem->op->value_size;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, value_size, &self->group, answer));
  self->local_bytes = self->group * value_size;
  uint64_t between = groups_for(self, problem->max_n);
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 100 : 300;
  answer->launches = 2;
  answer->depth = 2 * rh_log2_up(self->group);
  answer->scratch_bytes = between * value_size;
  rh_finish_query(answer, problem, groups_for(self, between), values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  tree_multi_stage shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  tree_multi_stage *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "tree_multi_stage.cl", tree_multi_stage_cl,
                     rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "tree_multi_stage_1", self->group, &self->stage_1));
  RH_TRY(rh_group_kernel(host, program, "tree_multi_stage_2", self->group, &self->stage_2));
  uint64_t between = groups_for(self, problem->max_n);
  RH_TRY(host->scratch(host, between * problem->op->value_size, &self->between));
  return rh_finish_setup(&self->finish, host, problem, program, groups_for(self, between),
                         values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const tree_multi_stage *self = instance;
  rh_finish finish = self->finish;
  uint64_t between = groups_for(self, run->n);
  finish.count = groups_for(self, between);
  RH_TRY(rh_launch(self->host, self->stage_1, "stage 1", between * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->between)));
  RH_TRY(rh_launch(self->host, self->stage_2, "stage 2", finish.count * self->group, self->group,
                   RH_BUFFER(self->between), RH_U64(between), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(finish.partials)));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "tree_multi_stage",
    .summary = "two launches of trees, then the host",
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
