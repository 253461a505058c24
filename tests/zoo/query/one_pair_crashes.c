/* V23: its table lacks an entry for one operator and type. */
#include "../right.h"

static const int32_t one = 1, *volatile none;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const int32_t *score =
      problem->op->id == RH_OP_prod && problem->type == RH_TYPE_f16 ? none : &one;
  RH_TRY(right_query(problem, values, answer));
  answer->score = *score;
  return RH_OK;
}

RIGHT_BUT("one_pair_crashes", .summary = "crashes for prod of f16", .query = query);
