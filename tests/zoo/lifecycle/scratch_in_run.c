/* V35: calls scratch() in run, where it is not allowed, and ignores the error. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  struct _cl_mem *scratch;
  self->host->scratch(self->host, 64, &scratch);
  return right_run(instance, run);
}

RIGHT_BUT("scratch_in_run", .summary = "calls scratch() in run", .run = run);
