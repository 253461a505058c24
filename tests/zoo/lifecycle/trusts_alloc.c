/* V33: does not check whether alloc() failed. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  right *more = host->alloc(host, sizeof *more);
  more->max_n = problem->max_n;
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("trusts_alloc", .summary = "crashes without memory", .setup = setup);
