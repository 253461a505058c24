/* V50: promises the same bits on every device, but reduces in smaller groups on PoCL, whose
 * devices have names that begin with "pthread-" or "cpu-". */
#include "../right.h"
#include <string.h>

/* The group is passed as the device's limit, which right_plan() observes. */
static rh_problem within(const rh_problem *problem, rh_device *device) {
  rh_problem limited = *problem;
  const char *name = problem->device->name;
  *device = *problem->device;
  device->max_group = strncmp(name, "pthread-", 8) == 0 || strncmp(name, "cpu-", 4) == 0 ? 4 : 32;
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

RIGHT_BUT("varies_with_device", .summary = "its bits depend on the device",
          .determinism = RH_BITS_SAME_EVERYWHERE, .query = query, .setup = setup);
