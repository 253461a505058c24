/* chunk: one contiguous chunk for each processing element. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "chunk.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU Optimization Guide), second kernel. Instead of all "
    "work-items contending for one global variable, as in atomic_global, the input is split into "
    "as many contiguous chunks as the device has processing elements; each work-item combines its "
    "own chunk to one result, and the host combines them in order. The article takes one chunk per "
    "compute unit (items_per_unit=1); here a unit has 16 lanes to fill. It notes that no compiler "
    "can vectorize this loop, since neighbouring work-items read a chunk apart.";

enum { ITEMS_PER_UNIT, FINISH };
static const rh_param params[] = {
    [ITEMS_PER_UNIT] = RH_NUMBER("items_per_unit", 16, 1, 4096,
                                 "processing elements, and so work-items, per compute unit"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct chunk {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, items;
  rh_finish finish;
} chunk;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, chunk *self,
                      rh_answer *answer) {
  RH_TRY(
      rh_fit_group(problem, "items_per_unit", values[ITEMS_PER_UNIT], 0, 0, &self->group, answer));
  self->items = problem->device->compute_units * self->group;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 250 : 30;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->items);
  rh_finish_query(answer, problem, self->items, values[FINISH]);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  chunk shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  chunk *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "chunk.cl", chunk_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "chunk", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->items, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const chunk *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "chunks", self->items, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_U64(rh_divide_up(run->n, self->items)), RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "chunk",
    .summary = "one contiguous chunk per processing element; the host finishes",
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
