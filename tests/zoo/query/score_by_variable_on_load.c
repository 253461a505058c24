/* V59: its score depends on an environment variable that it reads when it is loaded. */
#include "../right.h"
#include <stdlib.h>

static int32_t score = 1;

__attribute__((constructor)) static void look(void) {
  if (getenv("SCORE_OF_MINE")) score = 7;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = score;
  return RH_OK;
}

RIGHT_BUT(score_by_variable_on_load,
          .summary = "its score depends on an environment variable that it reads when it is loaded",
          .query = query);

RH_PLUGIN(&strategy_score_by_variable_on_load);
