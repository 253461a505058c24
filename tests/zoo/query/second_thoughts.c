/* V22: answers the same question differently the second time. */
#include "../right.h"

static int32_t asked;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = asked++ % 2;
  return RH_OK;
}

RIGHT_BUT("second_thoughts", .summary = "counts how often it is asked", .query = query);
