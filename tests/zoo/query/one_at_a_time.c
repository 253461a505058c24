/* V30: counts in a variable that all threads share. */
#include "../right.h"
#include <sched.h>

static volatile uint64_t levels;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  right shape;
  (void)values;
  RH_TRY(right_plan(problem, &shape, answer));
  levels = 0;
  for (uint64_t width = 1; width < shape.group; width *= 2) {
    levels++;
    sched_yield(); /* so that other threads interfere even on few cores */
  }
  answer->depth = rh_divide_up(problem->max_n, shape.group) + levels;
  return RH_OK;
}

RIGHT_BUT("one_at_a_time", .summary = "query is not for several threads", .query = query);
