/* V58: its kernel prints. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  const char *source = RIGHT_KERNEL(WALK, STORE " if (lid == 0) printf(\"done\\n\");");
  (void)values;
  return right_setup_of(host, problem, source, instance);
}

RIGHT_BUT("kernel_prints", .summary = "its kernel prints", .setup = setup);
