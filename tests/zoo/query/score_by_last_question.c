/* V59: its score depends on the previous question. */
#include "../right.h"

static volatile uint64_t last;

static int32_t compare(uint64_t n) {
  uint64_t before = last;
  last = n;
  return before > n;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = compare(problem->max_n);
  return RH_OK;
}

RIGHT_BUT("score_by_last_question", .summary = "its score depends on the previous question",
          .query = query);
