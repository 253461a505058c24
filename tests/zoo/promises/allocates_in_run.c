/* V56: obtains a buffer from OpenCL in every run, and releases it. */
#include "../right.h"
#include <CL/cl.h>

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  cl_int code;
  cl_mem buffer = clCreateBuffer(self->host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  if (code != CL_SUCCESS) return self->host->fail(self->host, RH_E_CL, code, "a buffer");
  rh_status status = right_run(instance, run);
  clReleaseMemObject(buffer);
  return status;
}

RIGHT_BUT("allocates_in_run", .summary = "allocates in run", .run = run);
