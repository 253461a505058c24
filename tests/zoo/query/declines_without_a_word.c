/* V28: query accepts every operator, but setup declines all but sum, and does not call
 * host->fail(). */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  if (problem->op->id != RH_OP_sum) return RH_DECLINED;
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("declines_without_a_word", .summary = "setup declines for all but sums", .setup = setup);
