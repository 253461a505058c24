/* query never returns. */
#include "zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  (void)answer;
  volatile int for_ever = 1;
  while (for_ever) {}
  return RH_OK;
}

ZOO_STRATEGY(hang_in_query, "hang_in_query", query);
ZOO_PLUGIN(hang_in_query);
