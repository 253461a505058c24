/* tiled_3: tiled_2 with consecutive addresses in local memory. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "tiled_3.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reduction using C++ AMP\" (MSDN, Parallel Programming in Native Code), "
    "reduction_tiled_3. Over tiled_2, the stride starts at half a tile and halves, so that "
    "consecutive work-items combine at consecutive addresses, which lie in different banks of "
    "local memory. Elements far apart are now combined first, so the operator must commute. "
    "Levels, buffers and the host's part are tiled_1's.";

enum { TILE, FINISH };
static const rh_param params[] = {
    [TILE] =
        RH_NUMBER("tile", 0, 0, 4096, "work-items in a tile; 0: 256, or what the device takes"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct tiled_3 {
  rh_levels levels;
  rh_finish finish;
} tiled_3;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, tiled_3 *self,
                      rh_answer *answer) {
  uint64_t tile;
  RH_TRY(rh_fit_group(problem, "tile", values[TILE], 256, problem->op->value_size, &tile, answer));
  self->levels = (rh_levels){.group = tile, .fan = tile, .until = tile};
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 90 : 280;
  RH_TRY(rh_levels_query(&self->levels, answer, problem));
  rh_finish_query(answer, problem, rh_levels_most(&self->levels, problem), values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  tiled_3 shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  tiled_3 *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "tiled_3.cl", tiled_3_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(
      rh_levels_setup(&self->levels, host, problem, program, "tiled_3_elements", "tiled_3_values"));
  return rh_finish_setup(&self->finish, host, problem, program,
                         rh_levels_most(&self->levels, problem), values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const tiled_3 *self = instance;
  rh_finish finish = self->finish;
  RH_TRY(rh_levels_run(&self->levels, run, finish.partials, 0, &finish.count));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "tiled_3",
    .summary = "tiled_2 with a stride that halves: no bank conflicts",
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
