/* V61: keeps `first` in 20 bits. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("input -= first; input += first & 0xfffff; " WALK, STORE),
                        instance);
}

RIGHT_BUT("first_in_20_bits", .summary = "keeps first in 20 bits", .setup = setup);
