/* V25: takes a kind of device that it does not know for a GPU. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_problem known = *problem;
  rh_device gpu = *problem->device;
  if (!(gpu.kind & RH_DEVICE_ANY_CL)) gpu.kind = RH_DEVICE_GPU;
  known.device = &gpu;
  return right_query(&known, values, answer);
}

RIGHT_BUT("guesses_kind", .summary = "serves unknown kinds of devices", .query = query);
