/* query dereferences null. */
#include "zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  (void)answer;
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
  return RH_OK;
}

ZOO_STRATEGY(crash_in_query, "crash_in_query", query);
ZOO_PLUGIN(crash_in_query);
