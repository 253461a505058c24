/* V50: promises the same bits for all parameters, but reduces in groups of a parameter's size. */
#include "../right.h"

enum { GROUP };
static const rh_param params[] = {[GROUP] = RH_NUMBER("group", 16, 1, 32, "work-items")};

/* The group is passed as the device's limit, which right_plan() observes. */
static rh_problem within(const rh_problem *problem, const int64_t *values, rh_device *device) {
  rh_problem limited = *problem;
  *device = *problem->device;
  if (device->max_group > values[GROUP]) device->max_group = (uint32_t)values[GROUP];
  limited.device = device;
  return limited;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_device device;
  rh_problem limited = within(problem, values, &device);
  return right_query(&limited, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  rh_device device;
  rh_problem limited = within(problem, values, &device);
  return right_setup(host, &limited, values, instance);
}

RIGHT_BUT("varies_with_group", .summary = "its bits depend on its group size", RH_PARAMS(params),
          .determinism = RH_BITS_SAME_LAUNCH, .query = query, .setup = setup);
