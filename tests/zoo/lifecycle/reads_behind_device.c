/* V38: reads a field that was added to rh_device after 1.0, without RH_HAS. */
#include "../right.h"

typedef struct newer {
  rh_device of_1_0;
  uint64_t appended;
} newer;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const volatile newer *there = (const volatile newer *)problem->device;
  (void)there->appended;
  return right_query(problem, values, answer);
}

RIGHT_BUT("reads_behind_device", .summary = "reads behind rh_device", .query = query);
