/* V39: refuses a host whose structs are larger than expected. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  if (host->struct_size != sizeof(rh_host) || problem->struct_size != sizeof(rh_problem))
    return host->fail(host, RH_E_INVALID, 0, "built for another redhost");
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("exact_sizes", .summary = "refuses a newer host", .setup = setup);
