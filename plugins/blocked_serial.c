/* blocked_serial: blocks of the input; in each group one work-item combines serially. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "blocked_serial.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), the kernel after the built-in "
    "reduction. Accesses are blocked: the work-items of a block read adjacent elements, and each "
    "takes a fixed number of them, one block width apart. The intermediate results go to local "
    "memory, where one work-item of the group combines them serially; the host combines the "
    "groups. Over strided, a work-item stays inside its block, and there is one result per group "
    "instead of one per work-item.";

enum { GROUP, WIDTH, EACH, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [WIDTH] = RH_NUMBER("block_width", 0, 0, 65536, "work-items that share a block; 0: a group's"),
    [EACH] = RH_NUMBER("elements_per_item", 32, 1, 65536, "elements that a work-item takes"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct blocked_serial {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, width, each, local_bytes;
  rh_finish finish;
} blocked_serial;

/* The number of groups, and so of partial results, for n elements in whole blocks. */
static uint64_t groups_for(const blocked_serial *self, uint64_t n) {
  uint64_t blocks = rh_divide_up(n, self->width * self->each);
  return rh_whole_groups(blocks * self->width, self->group) / self->group;
}

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, blocked_serial *self,
                      rh_answer *answer) {
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, problem->op->value_size, &self->group,
                      answer));
  self->local_bytes = self->group * problem->op->value_size;
  self->width = values[WIDTH] ? (uint64_t)values[WIDTH] : self->group;
  self->each = (uint64_t)values[EACH];
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 280 : 300;
  answer->launches = 1;
  answer->depth = self->each + self->group;
  rh_finish_query(answer, problem, groups_for(self, problem->max_n), values[FINISH]);
  RH_TRY(rh_fit_scratch(problem, answer));
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  blocked_serial shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  blocked_serial *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "blocked_serial.cl", blocked_serial_cl,
                     rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "blocked_serial", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, groups_for(self, problem->max_n),
                         values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const blocked_serial *self = instance;
  rh_finish finish = self->finish;
  finish.count = groups_for(self, run->n);
  RH_TRY(rh_launch(self->host, self->kernel, "blocks", finish.count * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n), RH_U64(self->width),
                   RH_U64(self->each), RH_LOCAL(self->local_bytes), RH_BUFFER(finish.partials)));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "blocked_serial",
    .summary = "blocked access, one work-item per group combines serially; the host finishes",
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
