/* V36 crash: a static destructor releases a buffer again, long after the host has released its
 * context. */
#include "../right.h"
#include <CL/cl.h>

static cl_mem kept;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  cl_int code;
  RH_TRY(right_setup(host, problem, values, instance));
  kept = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  return code == CL_SUCCESS ? RH_OK : host->fail(host, RH_E_CL, code, "no buffer");
}

static void teardown(void *instance) {
  (void)instance;
  clReleaseMemObject(kept);
}

__attribute__((destructor)) static void at_exit(void) {
  if (kept) clReleaseMemObject(kept);
}

RIGHT_BUT(late_release, .summary = "releases a buffer when the process ends", .setup = setup,
          .teardown = teardown);

RH_PLUGIN(&strategy_late_release);
