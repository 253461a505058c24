/* V41: for an empty range, the neighbour of the result is written, too. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(WALK,
                   "if (lid == 0) result[at] = all; if (lid == 0 && n == 0) result[at + 1] = all;"),
      instance);
}

RIGHT_BUT(writes_beside_nothing, .summary = "writes two values for none", .setup = setup);

RH_PLUGIN(&strategy_writes_beside_nothing);
