/* V40: after a failed run, every other run fails. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  if (self->own) return self->host->fail(self->host, RH_E_INTERNAL, 0, "failed before");
  rh_status status = right_run(instance, run);
  if (status != RH_OK) self->own = self;
  return status;
}

RIGHT_BUT("gives_up", .summary = "never recovers from a failure", .run = run);
