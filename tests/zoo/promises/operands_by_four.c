/* V66: reads several operands in fours, and leaves out the rest. */
#include "../own.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem, OWN_KERNEL(WALK), instance);
}

static rh_status run(void *instance, const rh_run *run) {
  return own_launch(instance, run,
                    RH_HAS(rh_run, run, n_operands) && run->n_operands > 1 ? run->n / 4 * 4
                                                                           : run->n);
}

OWN_BUT("operands_by_four", .summary = "leaves out the rest of several operands", .setup = setup,
        .run = run);
