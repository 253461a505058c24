/* V32: the 61st run fails. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  if (self->runs++ >= 60)
    return self->host->fail(self->host, RH_E_INTERNAL, 0, "was run too often");
  return right_run(instance, run);
}

RIGHT_BUT("tires", .summary = "the 61st run fails", .run = run);
