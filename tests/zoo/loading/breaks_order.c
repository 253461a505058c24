/* V65: breaks_order: host code that promises the canonical order and adds from the first element to
 * the last, with a score that no other strategy has: for what `auto` and --tune make of it. */
#include "zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  rh_status status = zoo_query(problem, params, answer);
  answer->score = 1000;
  return status;
}

ZOO_STRATEGY_BUT(strategy, "breaks_order", .promises = RH_KEEPS_ORDER | RH_CANONICAL_ORDER,
                 .query = query);
ZOO_PLUGIN;
