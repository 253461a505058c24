/* builtin: the language's own reduction of a work-group, twice. */
#include "builtin.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), the built-in reduction. Over the trees "
    "before it, nothing is written by hand: where the language has a built-in reduction, the "
    "article says, one should use it, since it is fine tuned to the hardware. The article uses the "
    "reduction object of DPC++; OpenCL C has work_group_reduce_add, _min and _max from 2.0 on, and "
    "nothing for other operators. Each work-item loads one element, each group makes one call, and "
    "a second launch of one group reduces the groups' results; the driver chooses the order inside "
    "a group.";

enum { GROUP };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
};

typedef struct builtin {
  const rh_host *host;
  struct _cl_kernel *elements, *partials;
  struct _cl_mem *results; /* one of each group */
  uint64_t group, groups;
} builtin;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, builtin *self,
                      rh_answer *answer) {
  const rh_op *op = problem->op;
  if (op->id != RH_OP_sum && op->id != RH_OP_min && op->id != RH_OP_max)
    return rh_decline(answer, RH_WHY_OP,
                      "OpenCL C's built-in reductions are sum, min and max only, not %s", op->name);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->groups = rh_whole_groups(problem->max_n, self->group) / self->group;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 110 : 120;
  answer->launches = 2;
  answer->scratch_bytes = self->groups * op->value_size;
  /* The driver chooses the order inside a group; the worst case is serial. */
  answer->depth = self->group + rh_divide_up(self->groups, self->group) + self->group;
  RH_TRY(rh_fit_scratch(problem, answer));
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  builtin shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  builtin *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[64];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "-DRH_BUILTIN %s", rh_newest_language(problem->device));
  RH_TRY(host->build(host, "builtin.cl", builtin_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "builtin_elements", self->group, &self->elements));
  RH_TRY(rh_group_kernel(host, program, "builtin_partials", self->group, &self->partials));
  return host->scratch(host, self->groups * problem->op->value_size, &self->results);
}

static rh_status run(void *instance, const rh_run *run) {
  const builtin *self = instance;
  uint64_t items = rh_whole_groups(run->n, self->group);
  RH_TRY(rh_launch(self->host, self->elements, "elements", items, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_BUFFER(self->results)));
  return rh_launch(self->host, self->partials, "partials", self->group, self->group,
                   RH_BUFFER(self->results), RH_U64(items / self->group), RH_BUFFER(run->result),
                   RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "builtin",
    .summary = "one element per work-item and OpenCL C's built-in reduction of each group, twice",
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
