/* cpu_serial: work-groups of one work-item, one contiguous block each. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "cpu_serial.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"OpenCL Optimization Case Study: Simple Reductions\" (AMD, 2010), figure 7. A CPU needs only "
    "enough parallelism to keep its cores busy. Over two_stage, a group is a single work-item: "
    "there are as many groups as compute units, each runs a serial loop over one contiguous block, "
    "and the host combines the few results. It needs no local memory and no barriers, and the "
    "elements keep their order. groups=1 is the article's row for a single core.";

enum { GROUPS, FINISH };
static const rh_param params[] = {
    [GROUPS] = RH_NUMBER("groups", 0, 0, 65536,
                         "blocks, each reduced by one work-item; 0: as many as compute units"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct cpu_serial {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t groups;
  rh_finish finish;
} cpu_serial;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, cpu_serial *self,
                      rh_answer *answer) {
  self->groups = values[GROUPS] ? (uint64_t)values[GROUPS] : problem->device->compute_units;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 600 : 10;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->groups);
  rh_finish_query(answer, problem, self->groups, values[FINISH]);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  cpu_serial shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  cpu_serial *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "cpu_serial.cl", cpu_serial_cl, rh_finish_options(values[FINISH]),
                     &program));
  RH_TRY(rh_group_kernel(host, program, "cpu_serial", 1, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->groups, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const cpu_serial *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "blocks", self->groups, 1, RH_OPERANDS_OF(run),
                   RH_U64(run->first), RH_U64(run->n), RH_U64(rh_divide_up(run->n, self->groups)),
                   RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "cpu_serial",
    .summary = "one work-item and one contiguous block per group; the host finishes",
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
