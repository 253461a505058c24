/* strided_full: strided with as many work-items as the device keeps in flight. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "strided_full.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), fourth kernel. The kernel of strided "
    "with enough work-items for every thread context that the device has, not only for every "
    "processing element, so that some compute while others wait for memory. The article finds no "
    "good way to ask a device for the number of its contexts and scales by hand; here it is "
    "groups_per_unit. Every work-item still writes one result, so the host has many to combine.";

enum { GROUP, GROUPS_PER_UNIT, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [GROUPS_PER_UNIT] = RH_NUMBER("groups_per_unit", 8, 1, 1024, "groups for each compute unit"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct strided_full {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, items;
  rh_finish finish;
} strided_full;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, strided_full *self,
                      rh_answer *answer) {
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->items = problem->device->compute_units * (uint64_t)values[GROUPS_PER_UNIT] * self->group;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 340 : 400;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->items);
  rh_finish_query(answer, problem, self->items, values[FINISH]);
  RH_TRY(rh_fit_scratch(problem, answer));
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  strided_full shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  strided_full *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "strided_full.cl", strided_full_cl, rh_finish_options(values[FINISH]),
                     &program));
  RH_TRY(rh_group_kernel(host, program, "strided_full", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->items, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const strided_full *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "strides", self->items, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "strided_full",
    .summary = "strided with as many work-items as fill the device; the host finishes",
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
