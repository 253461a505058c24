/* V25: treats every unknown operator as min. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  if (problem->op->id <= RH_OP_affine) return right_setup(host, problem, values, instance);
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("mine = rh_load(input, 0);"
                   "for (ulong i = 0; i < n; i++) mine = min(mine, rh_load(input, i));",
                   STORE),
      instance);
}

RIGHT_BUT("guesses_operator", .summary = "serves unknown operators as a minimum", .setup = setup);
