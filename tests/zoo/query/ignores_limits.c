/* V27: takes 64 work-items and their local memory, whatever the device has. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_device large = *problem->device;
  rh_problem there = *problem;
  large.max_group = RIGHT_GROUP;
  large.local_bytes = UINT64_MAX;
  there.device = &large;
  return right_query(&there, values, answer);
}

RIGHT_BUT("ignores_limits", .summary = "does not look at the device", .query = query);
