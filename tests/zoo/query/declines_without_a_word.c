/* V28: query says yes to every operator, setup declines all but the sum, and not through
 * host->fail(). */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  if (problem->op->id != RH_OP_sum) return RH_DECLINED;
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("declines_without_a_word", .summary = "setup declines for all but sums", .setup = setup);
