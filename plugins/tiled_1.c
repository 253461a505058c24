/* tiled_1: a tree in each tile, neighbours first, one launch a level; then the host. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "tiled_1.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reduction using C++ AMP\" (MSDN, Parallel Programming in Native Code), "
    "reduction_tiled_1. The step before, simple_2, keeps all partial results in global memory. "
    "This one loads a tile into local memory, one element for each work-item, and runs the tree "
    "there; work-item 0 writes the tile's result. Two buffers alternate as source and target. "
    "Every level divides the number of values by the tile size, until at most a tile is left, "
    "which the host combines. In the tree the stride doubles and the work-items with tid % (2*s) "
    "== 0 combine: they are scattered over the tile, and their neighbours idle. Neighbours are "
    "combined first, so elements keep their order.";

enum { TILE, FINISH };
static const rh_param params[] = {
    [TILE] =
        RH_NUMBER("tile", 0, 0, 4096, "work-items in a tile; 0: 256, or what the device takes"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct tiled_1 {
  rh_levels levels;
  rh_finish finish;
} tiled_1;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, tiled_1 *self,
                      rh_answer *answer) {
  uint64_t tile;
  RH_TRY(rh_fit_group(problem, "tile", values[TILE], 256, problem->op->value_size, &tile, answer));
  self->levels = (rh_levels){.group = tile, .fan = tile, .until = tile};
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 60 : 200;
  RH_TRY(rh_levels_query(&self->levels, answer, problem));
  rh_finish_query(answer, problem, rh_levels_most(&self->levels, problem), values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  tiled_1 shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  tiled_1 *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "tiled_1.cl", tiled_1_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(
      rh_levels_setup(&self->levels, host, problem, program, "tiled_1_elements", "tiled_1_values"));
  return rh_finish_setup(&self->finish, host, problem, program,
                         rh_levels_most(&self->levels, problem), values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const tiled_1 *self = instance;
  rh_finish finish = self->finish;
  RH_TRY(rh_levels_run(&self->levels, run, finish.partials, 0, &finish.count));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "tiled_1",
    .summary = "one launch per level, a tree in each tile, neighbours first: divergent",
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
