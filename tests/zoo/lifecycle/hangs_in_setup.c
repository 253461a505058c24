/* V31: setup never returns. */
#include "../right.h"
#include <unistd.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  while (right_setup(host, problem, values, instance) == RH_OK) pause();
  return RH_E_INTERNAL;
}

RIGHT_BUT("hangs_in_setup", .summary = "setup never returns", .setup = setup);
