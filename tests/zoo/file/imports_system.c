/* V09: imports system(), which it never calls during the tests. */
#include "../right.h"
#include <stdlib.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->max_n == UINT64_MAX && system("true")) return RH_E_INTERNAL;
  return right_query(problem, values, answer);
}

RIGHT_BUT(imports_system, .summary = "imports system()", .query = query);

RH_PLUGIN(&strategy_imports_system);
