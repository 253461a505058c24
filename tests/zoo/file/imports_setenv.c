/* V09: imports setenv(), which it never calls during the tests. */
#include "../right.h"
#include <stdlib.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->max_n == UINT64_MAX) setenv("ZOO", "", 1);
  return right_query(problem, values, answer);
}

RIGHT_BUT(imports_setenv, .summary = "imports setenv()", .query = query);

RH_PLUGIN(&strategy_imports_setenv);
