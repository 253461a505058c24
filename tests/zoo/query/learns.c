/* V59: its score grows once it has run. */
#include "../right.h"

static int32_t score = 1;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = score;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  score = 7;
  return right_run(instance, run);
}

RIGHT_BUT("learns", .summary = "its score grows once it has run", .query = query, .run = run);
