/* V56: reads its result back, but declares that it only enqueues. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  char value[4];
  RH_TRY(right_run(instance, run));
  return self->host->read(self->host, run->result, 0, sizeof value, value);
}

RIGHT_BUT("reads_back", .summary = "reads in run", .run = run);
