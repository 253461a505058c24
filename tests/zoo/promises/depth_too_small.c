/* V52: one work-item adds everything serially, but the depth of a tree is declared. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = 1 + rh_log2_up(problem->max_n);
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("for (ulong i = 0; lid == 0 && i < n; i++)"
                                     "  mine = rh_combine(mine, rh_load(input, i));",
                                     STORE),
                        instance);
}

RIGHT_BUT("depth_too_small", .summary = "declares the depth of a tree it has not", .query = query,
          .setup = setup);
