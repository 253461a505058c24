/* V27: always uses 64 work-items and their local memory, even if the device has less. */
#include "../right.h"

static rh_problem on_large(const rh_problem *problem, rh_device *large) {
  rh_problem there = *problem;
  *large = *problem->device;
  large->max_group = RIGHT_GROUP;
  large->local_bytes = UINT64_MAX;
  there.device = large;
  return there;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_device large;
  rh_problem there = on_large(problem, &large);
  return right_query(&there, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  rh_device large;
  rh_problem there = on_large(problem, &large);
  return right_setup(host, &there, values, instance);
}

RIGHT_BUT("ignores_limits", .summary = "does not look at the device", .query = query,
          .setup = setup);
