/* V21: its strategy is in writable memory, and setup withdraws a promise. */
#include "../right.h"

static rh_strategy strategy;

SETUP(changes) {
  strategy.summary = "was set up";
  strategy.determinism = RH_BITS_VARY;
  return right_setup(host, problem, values, instance);
}

static rh_strategy strategy = RIGHT("changes", .setup = changes_setup);
RH_PLUGIN(&strategy);
