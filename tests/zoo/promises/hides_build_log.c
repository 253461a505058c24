/* V57: replaces the compiler's messages by its own. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  if (right_setup(host, problem, values, instance) == RH_OK) return RH_OK;
  return host->fail(host, RH_E_INTERNAL, 0, "something went wrong");
}

RIGHT_BUT("hides_build_log", .summary = "a failed build is an internal error", .setup = setup);
