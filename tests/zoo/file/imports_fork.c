/* V09: imports fork(), which it never calls during the tests. */
#include "../right.h"
#include <unistd.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->max_n == UINT64_MAX && fork() == 0) _exit(0);
  return right_query(problem, values, answer);
}

RIGHT_BUT(imports_fork, .summary = "imports fork()", .query = query);

RH_PLUGIN(&strategy_imports_fork);
