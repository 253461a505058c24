/* V59: its score depends on the clock. */
#include "../right.h"
#include <time.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = (int32_t)(time(NULL) / 3600 % 1000);
  return RH_OK;
}

RIGHT_BUT("score_by_clock", .summary = "its score depends on the clock", .query = query);
