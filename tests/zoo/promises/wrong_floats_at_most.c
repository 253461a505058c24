/* V54: as wrong_at_most, but only where the bits depend on the order. */
#include "../right.h"

enum { TILE };
static const rh_param params[] = {[TILE] = RH_NUMBER("tile", 64, 1, 1000, "has no effect")};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  if (!(problem->op->flags & RH_OP_EXACT)) ((right *)*instance)->runs = (uint64_t)values[TILE];
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  uint64_t lost = self->runs == 1000 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

RIGHT_BUT("wrong_floats_at_most", .summary = "is wrong at some values of tile", RH_PARAMS(params),
          .setup = setup, .run = run);
