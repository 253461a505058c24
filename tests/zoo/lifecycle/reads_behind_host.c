/* V38: reads a field that was added to rh_host after 1.0, without RH_HAS. */
#include "../right.h"

typedef struct newer {
  rh_host of_1_0;
  uint64_t appended;
} newer;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  const volatile newer *there = (const volatile newer *)host;
  (void)there->appended;
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("reads_behind_host", .summary = "reads behind rh_host", .setup = setup);
