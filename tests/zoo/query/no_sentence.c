/* V24: declines with a code but without a reason. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->op->flags & RH_OP_INDEXED) {
    answer->why = RH_WHY_OP;
    return RH_DECLINED;
  }
  return right_query(problem, values, answer);
}

RIGHT_BUT("no_sentence", .summary = "declines indexed operators without a sentence",
          .query = query);
