/* V28: setup crashes for problems that query declines. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->op->flags & RH_OP_INDEXED)
    return rh_decline(answer, RH_WHY_OP, "%s has an index", problem->op->name);
  return right_query(problem, values, answer);
}

static const char *const known = "an operator", *volatile unknown;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  const char *what = problem->op->flags & RH_OP_INDEXED ? unknown : known;
  if (*what == 0) return RH_E_INTERNAL;
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("crashes_after_no", .summary = "setup crashes for what query declined", .query = query,
          .setup = setup);
