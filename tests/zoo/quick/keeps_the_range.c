/* V32: every 350th run of an instance is of the range of the run before, so that runs of one range
 * hide it. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  uint64_t *before = self->own, first = run->first, n = run->n;
  if (++self->runs % 350 == 0) {
    first = before[0];
    n = before[1];
  }
  before[0] = run->first;
  before[1] = run->n;
  return right_launch(self, run, first, n);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  right *self = *instance;
  self->own = host->alloc(host, 2 * sizeof(uint64_t));
  return self->own ? RH_OK : RH_E_NOMEM;
}

RIGHT_BUT("keeps_the_range", .summary = "every 350th run is of the range before it", .setup = setup,
          .run = run);
