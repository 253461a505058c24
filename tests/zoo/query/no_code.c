/* V24: declines with a reason but without a code. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->op->flags & RH_OP_INDEXED)
    return rh_decline(answer, RH_WHY_NONE, "%s has an index", problem->op->name);
  return right_query(problem, values, answer);
}

RIGHT_BUT("no_code", .summary = "declines indexed operators without a code", .query = query);
