/* V61: the kernel counts elements in an int, which overflows at 2^31. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const char walk[] =
      RIGHT_KERNEL("for (int i = (int)lid; i < (int)n; i += (int)size) mine = "
                   "rh_combine(mine, rh_load(input, i));",
                   STORE);
  (void)values;
  return right_setup_of(host, problem, walk, instance);
}

RIGHT_BUT("int_counter", .summary = "counts in an int", .setup = setup);
