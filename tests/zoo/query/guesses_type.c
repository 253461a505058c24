/* V25: takes a type that it does not know for a 32-bit integer. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_problem known = *problem;
  if (known.type > RH_TYPE_f64) known.type = RH_TYPE_i32;
  return right_query(&known, values, answer);
}

RIGHT_BUT("guesses_type", .summary = "serves unknown types", .query = query);
