/* V38: reads a field that was added to rh_op after 1.0, without RH_HAS. */
#include "../right.h"

typedef struct newer {
  rh_op of_1_0;
  uint64_t appended;
} newer;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const volatile newer *there = (const volatile newer *)problem->op;
  (void)there->appended;
  return right_query(problem, values, answer);
}

RIGHT_BUT("reads_behind_op", .summary = "reads behind rh_op", .query = query);
