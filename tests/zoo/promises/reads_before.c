/* V48: also combines the element before the range, if there is one. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(
          WALK
          "if (lid == 0 && first > 0 && n > 0) mine = rh_combine(rh_load(input - 1, 0), mine);",
          STORE),
      instance);
}

RIGHT_BUT("reads_before", .summary = "reads one element too early", .setup = setup);
