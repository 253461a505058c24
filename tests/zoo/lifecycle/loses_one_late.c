/* V32: from the 61st run on, the last element is lost. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  uint64_t lost = self->runs++ >= 60 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

RIGHT_BUT("loses_one_late", .summary = "the 61st run is wrong", .run = run);
