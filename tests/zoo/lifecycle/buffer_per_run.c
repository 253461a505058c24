/* V32: every run leaks an OpenCL buffer. */
#include "../right.h"
#include <CL/cl.h>

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  static const char bytes[1 << 16];
  cl_int code;
  clCreateBuffer(self->host->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof bytes,
                 (void *)(uintptr_t)bytes, &code);
  if (code != CL_SUCCESS) return self->host->fail(self->host, RH_E_CL, code, "a buffer");
  return right_run(instance, run);
}

RIGHT_BUT("buffer_per_run", .summary = "every run leaks a buffer", .run = run);
