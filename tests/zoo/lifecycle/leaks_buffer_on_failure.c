/* V33: releases its own buffer in teardown, which is not called after a failed setup. */
#include "../right.h"
#include <CL/cl.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  cl_int code;
  cl_mem buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 64, NULL, &code);
  if (code != CL_SUCCESS) return host->fail(host, RH_E_CL, code, "a buffer");
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = buffer;
  return RH_OK;
}

static void teardown(void *instance) {
  clReleaseMemObject(((right *)instance)->own);
}

RIGHT_BUT("leaks_buffer_on_failure", .summary = "a setup that fails leaks a buffer", .setup = setup,
          .teardown = teardown);
