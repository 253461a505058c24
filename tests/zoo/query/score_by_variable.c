/* V59: its score depends on an environment variable. */
#include "../right.h"
#include <stdlib.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = getenv("SCORE_OF_MINE") ? 7 : 1;
  return RH_OK;
}

RIGHT_BUT("score_by_variable", .summary = "its score depends on an environment variable",
          .query = query);
