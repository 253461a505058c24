/* V34: never releases a reference to the host's queue. */
#include "../right.h"
#include <CL/cl.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  clRetainCommandQueue(host->queue);
  return RH_OK;
}

RIGHT_BUT("retains_queue", .summary = "retains the host's queue", .setup = setup);
