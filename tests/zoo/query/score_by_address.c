/* V59: its score depends on the address of the question. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = (int32_t)((uintptr_t)problem->device / 16 % 2);
  return RH_OK;
}

RIGHT_BUT("score_by_address", .summary = "its score depends on the address of the question",
          .query = query);
