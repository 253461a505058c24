/* query returns an unknown status. */
#include "zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  (void)answer;
  return 77;
}

ZOO_STRATEGY(bad_query_status, "bad_query_status", query);
ZOO_PLUGIN(bad_query_status);
