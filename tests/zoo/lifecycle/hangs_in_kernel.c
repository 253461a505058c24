/* V31: its kernel never ends. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(WALK "__global volatile uint *word = (__global volatile uint *)result;"
                        "uint last = *word;"
                        "while (*word == last || *word != last) last = *word;",
                   STORE),
      instance);
}

RIGHT_BUT("hangs_in_kernel", .summary = "its kernel never ends", .setup = setup);
