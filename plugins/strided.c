/* strided: one work-item for each processing element, all striding together. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "strided.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), third kernel. There are as many "
    "work-items as in chunk, one per processing element, but each starts at its own index and "
    "strides over all of them: loads coalesce, and the compiler can vectorize the loop. Every "
    "work-item writes one result, and the host combines them.";

enum { ITEMS_PER_UNIT, FINISH };
static const rh_param params[] = {
    [ITEMS_PER_UNIT] = RH_NUMBER("items_per_unit", 16, 1, 4096,
                                 "processing elements, and so work-items, per compute unit"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct strided {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, items;
  rh_finish finish;
} strided;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, strided *self,
                      rh_answer *answer) {
  RH_TRY(
      rh_fit_group(problem, "items_per_unit", values[ITEMS_PER_UNIT], 0, 0, &self->group, answer));
  self->items = problem->device->compute_units * self->group;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 350 : 60;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->items);
  rh_finish_query(answer, problem, self->items, values[FINISH]);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  strided shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  strided *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "strided.cl", strided_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "strided", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->items, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const strided *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "strides", self->items, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "strided",
    .summary = "one work-item per processing element, in a grid stride; the host finishes",
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
