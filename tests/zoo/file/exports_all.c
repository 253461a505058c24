/* V02: built without -fvisibility=hidden and without a version script: every helper is exported. */
#include "../right.h"

rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer);
rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  return right_query(problem, values, answer);
}

RIGHT_BUT(exports_all, .summary = "exports its own functions", .query = query);

RIGHT_PLUGIN;
