/* blocked_builtin: blocks of the input, then OpenCL C's built-in reduction of each group. */
#include "blocked_builtin.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide). Over blocked_tree, a built-in reduction "
    "combines the work-items' results in a group: work_group_reduce_add, _min or _max of OpenCL C "
    "2.0 and later, where the article uses the reduction object of DPC++. The host combines the "
    "groups. The article finds it good on most platforms that it tried.";

enum { GROUP, WIDTH, EACH, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [WIDTH] = RH_NUMBER("block_width", 0, 0, 65536, "work-items that share a block; 0: a group's"),
    [EACH] = RH_NUMBER("elements_per_item", 32, 1, 65536, "elements that a work-item takes"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct blocked_builtin {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, width, each;
  rh_finish finish;
} blocked_builtin;

/* The number of groups, and so of partial results, for n elements in whole blocks. */
static uint64_t groups_for(const blocked_builtin *self, uint64_t n) {
  uint64_t blocks = rh_divide_up(n, self->width * self->each);
  return rh_whole_groups(blocks * self->width, self->group) / self->group;
}

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, blocked_builtin *self,
                      rh_answer *answer) {
  const rh_op *op = problem->op;
  if (op->id != RH_OP_sum && op->id != RH_OP_min && op->id != RH_OP_max)
    return rh_decline(answer, RH_WHY_OP,
                      "OpenCL C's built-in reductions are sum, min and max only, not %s", op->name);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->width = values[WIDTH] ? (uint64_t)values[WIDTH] : self->group;
  self->each = (uint64_t)values[EACH];
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 300 : 430;
  answer->launches = 1;
  /* The driver chooses the order inside a group; the worst case is serial. */
  answer->depth = self->each + self->group;
  rh_finish_query(answer, problem, groups_for(self, problem->max_n), values[FINISH]);
  RH_TRY(rh_fit_scratch(problem, answer));
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  blocked_builtin shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  blocked_builtin *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[64];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "-DRH_BUILTIN %s %s", rh_newest_language(problem->device),
           rh_finish_options(values[FINISH]));
  RH_TRY(host->build(host, "blocked_builtin.cl", blocked_builtin_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "blocked_builtin", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, groups_for(self, problem->max_n),
                         values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const blocked_builtin *self = instance;
  rh_finish finish = self->finish;
  finish.count = groups_for(self, run->n);
  RH_TRY(rh_launch(self->host, self->kernel, "blocks", finish.count * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n), RH_U64(self->width),
                   RH_U64(self->each), RH_BUFFER(finish.partials)));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "blocked_builtin",
    .summary = "blocked access, then OpenCL C's built-in reduction of each group",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .needs = RH_WORK_GROUP_COLLECTIVES,
    .determinism = RH_BITS_VARY,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
