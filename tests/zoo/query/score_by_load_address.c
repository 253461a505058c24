/* V59: its score depends on its load address. */
#include "../right.h"

static const int32_t anything = 1;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = (int32_t)((uintptr_t)&anything >> 12 & 511);
  return RH_OK;
}

RIGHT_BUT("score_by_load_address", .summary = "its score depends on its load address",
          .query = query);
