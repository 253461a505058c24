/* V34: never releases a reference to its kernel. */
#include "../right.h"
#include <CL/cl.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  clRetainKernel(((right *)*instance)->kernel);
  return RH_OK;
}

RIGHT_BUT("retains_kernel", .summary = "retains its kernel", .setup = setup);
