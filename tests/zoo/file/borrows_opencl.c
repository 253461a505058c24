/* V03: calls clFlush() without linking libOpenCL: it gets the host's. */
#include "../right.h"

extern int32_t clFlush(struct _cl_command_queue *);

BUT_RUN(borrows_opencl) {
  const right *self = instance;
  RH_TRY(right_run(instance, run));
  int32_t code = clFlush(self->host->queue);
  return code == 0 ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "flushing the queue");
}

RIGHT_PLUGIN;
