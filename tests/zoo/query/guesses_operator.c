/* V25: takes an operator that it does not know for a sum. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_problem known = *problem;
  rh_op sum = *problem->op;
  if (sum.id > RH_OP_affine) sum.id = RH_OP_sum;
  known.op = &sum;
  return right_query(&known, values, answer);
}

RIGHT_BUT("guesses_operator", .summary = "serves unknown operators", .query = query);
