/* V35: obtains scratch memory in run, where there is none, and does not mind. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  struct _cl_mem *scratch;
  self->host->scratch(self->host, 64, &scratch);
  return right_run(instance, run);
}

RIGHT_BUT("scratch_in_run", .summary = "calls scratch() in run", .run = run);
