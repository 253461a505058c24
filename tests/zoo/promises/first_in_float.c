/* V61: keeps `first` in a float. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("input -= first; input += (ulong)(float)first; " WALK, STORE),
                        instance);
}

RIGHT_BUT("first_in_float", .summary = "keeps first in a float", .setup = setup);
