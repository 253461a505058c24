/* V30: works out its answer in memory that all threads share. */
#include "../right.h"
#include <sched.h>

static rh_problem now;
static right shape;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {

  (void)values;
  now = *problem;
  for (int k = 0; k < 20; k++) sched_yield();
  return right_plan(&now, &shape, answer);
}

RIGHT_BUT("one_at_a_time", .summary = "query is not for several threads", .query = query);
