/* V56: waits for the device, but declares that it only enqueues. */
#include "../right.h"
#include <CL/cl.h>

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  RH_TRY(right_run(instance, run));
  cl_int code = clFinish(self->host->queue);
  return code == CL_SUCCESS ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "waiting");
}

RIGHT_BUT("waits", .summary = "waits in run", .run = run);
