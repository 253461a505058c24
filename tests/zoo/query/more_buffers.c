/* V29: creates an OpenCL buffer that its answer does not declare. */
#include "../right.h"
#include <CL/cl.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  cl_int code;
  RH_TRY(right_setup(host, problem, values, instance));
  right *self = *instance;
  self->own = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  return self->own ? RH_OK : host->fail(host, RH_E_CL, code, "a buffer");
}

static void teardown(void *instance) {
  const right *self = instance;
  clReleaseMemObject(self->own);
}

RIGHT_BUT("more_buffers", .summary = "obtains more memory than it said", .setup = setup,
          .teardown = teardown);
