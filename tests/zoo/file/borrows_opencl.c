/* V03: calls clFlush() without linking libOpenCL: it gets the host's. */
#include "../right.h"

extern int32_t clFlush(struct _cl_command_queue *);

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  RH_TRY(right_run(instance, run));
  int32_t code = clFlush(self->host->queue);
  return code == 0 ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "flushing the queue");
}

RIGHT_BUT(borrows_opencl, .summary = "calls clFlush() and names no library for it", .run = run);

RH_PLUGIN(&strategy_borrows_opencl);
