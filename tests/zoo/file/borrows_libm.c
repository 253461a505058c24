/* V03: calls cbrt() without linking libm: it loads only if the host has libm loaded. */
#include "../right.h"
#include <math.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = (int32_t)cbrt((double)(problem->max_n % 1000));
  return RH_OK;
}

RIGHT_BUT(borrows_libm, .summary = "calls cbrt() and names no library for it", .query = query);

RH_PLUGIN(&strategy_borrows_libm);
