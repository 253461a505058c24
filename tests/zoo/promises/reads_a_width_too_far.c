/* V62: reads a group's width of elements past the range and masks them. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const char walk[] = RIGHT_KERNEL("for (ulong i = lid; i < n + size; i += size) {\n"
                                          "    rh_value v = rh_load(input, i);\n"
                                          "    if (i < n) mine = rh_combine(mine, v);\n  }",
                                          STORE);
  (void)values;
  return right_setup_of(host, problem, walk, instance);
}

RIGHT_BUT("reads_a_width_too_far", .summary = "reads behind the range, and masks it",
          .setup = setup);
