/* V64: writes one value past the local memory that it requested. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem,
                        RIGHT_KERNEL(WALK, STORE " if (lid == 0) scratch[size] = all;"), instance);
}

RIGHT_BUT("local_too_far", .summary = "a value behind its local memory", .setup = setup);
