/* V50: promises the same bits for the same elements, but its group depends on max_n. */
#include "../right.h"

static rh_problem within(const rh_problem *problem, rh_device *device) {
  rh_problem limited = *problem;
  *device = *problem->device;
  if (problem->max_n > 6000 && device->max_group > 16) device->max_group = 16;
  limited.device = device;
  return limited;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_device device;
  rh_problem limited = within(problem, &device);
  return right_query(&limited, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  rh_device device;
  rh_problem limited = within(problem, &device);
  return right_setup(host, &limited, values, instance);
}

RIGHT_BUT("varies_with_most", .summary = "its bits depend on max_n", .query = query,
          .setup = setup);
