/* V28: query accepts every operator, but setup supports sum only. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  if (problem->op->id != RH_OP_sum)
    return host->fail(host, RH_E_INTERNAL, 0, "only sums are implemented");
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("fails_after_yes", .summary = "setup fails for all but sums", .setup = setup);
