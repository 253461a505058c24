/* Nothing is wrong with it: the measure of those that are wrong with operators of users only. */
#include "../own.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem, OWN_KERNEL(IN_ORDER), instance);
}

OWN_BUT("right_own", .summary = "serves every operator, in order", .promises = RH_KEEPS_ORDER,
        .query = query, .setup = setup);
