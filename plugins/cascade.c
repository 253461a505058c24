/* cascade: a fixed number of tiles walk over the whole input, then the host adds up the tiles. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "cascade.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reduction using C++ AMP\" (MSDN, Parallel Programming in Native Code), "
    "reduction_cascade. The step before, tiled_4, lets every work-item combine two elements before "
    "the tree. This one takes that to its limit: the number of tiles is fixed beforehand, and "
    "every work-item combines as many elements as it takes to cover the input, in a stride of all "
    "tiles together. There is one launch, whatever the size; each tile ends with a tree in local "
    "memory, and the host combines the tiles' results.";

enum { TILE, TILES_PER_UNIT, FINISH };
static const rh_param params[] = {
    [TILE] =
        RH_NUMBER("tile", 0, 0, 4096, "work-items in a tile; 0: 256, or what the device takes"),
    [TILES_PER_UNIT] = RH_NUMBER("tiles_per_unit", 4, 1, 1024, "tiles for each compute unit"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct cascade {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t tile, tiles, tile_bytes;
  rh_finish finish;
} cascade;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, cascade *self,
                      rh_answer *answer) {
  uint32_t value_size = problem->op->value_size;
  RH_TRY(rh_fit_group(problem, "tile", values[TILE], 256, value_size, &self->tile, answer));
  self->tile_bytes = self->tile * value_size;
  self->tiles = problem->device->compute_units * (uint64_t)values[TILES_PER_UNIT];
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 300 : 500;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->tiles * self->tile) + rh_log2_up(self->tile);
  rh_finish_query(answer, problem, self->tiles, values[FINISH]);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  cascade shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  cascade *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "cascade.cl", cascade_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "cascade", self->tile, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->tiles, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const cascade *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "tiles", self->tiles * self->tile, self->tile,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->tile_bytes), RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "cascade",
    .summary = "a fixed number of tiles stride over the input, then a tree in each",
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
