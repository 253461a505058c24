/* V27: halves its group until it fits, which never happens without local memory. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  volatile uint64_t group = RIGHT_GROUP;
  while (group * problem->op->value_size > problem->device->local_bytes) group = (group + 1) / 2;
  return right_query(problem, values, answer);
}

RIGHT_BUT("never_fits", .summary = "does not end without local memory", .query = query);
