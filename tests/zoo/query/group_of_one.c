/* V27: divides by the number of levels of its tree, which is 0 for a group of 1. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  right shape;
  (void)values;
  RH_TRY(right_plan(problem, &shape, answer));
  /* a division by zero does not raise it on every machine */
  if (shape.group == 1) __builtin_trap();
  answer->score = (int32_t)(64 / rh_log2_up(shape.group) % 2);
  return RH_OK;
}

RIGHT_BUT("group_of_one", .summary = "crashes on devices with groups of 1", .query = query);
