/* V59: its score depends on a random number, rarely. */
#include "../right.h"
#include <stdlib.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = random() % 1000000 ? 1 : 2;
  return RH_OK;
}

RIGHT_BUT("score_by_chance", .summary = "its score depends on a random number, rarely",
          .query = query);
