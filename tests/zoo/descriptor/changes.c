/* V21: its strategy is in writable memory, and setup withdraws a promise. */
#include "../right.h"

static rh_strategy strategy;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  strategy.summary = "was set up";
  strategy.determinism = RH_BITS_VARY;
  return right_setup(host, problem, values, instance);
}

static rh_strategy strategy =
    RIGHT("changes", .summary = "changes when it is set up", .setup = setup);
RH_PLUGIN(&strategy);
