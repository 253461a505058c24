/* V25: looks an operator up in a table without asking whether it is in there. */
#include "../right.h"
#include <string.h>

static const char *const names[] = {
#define RH_X(name, number, flags) [number] = #name,
    RH_OP_LIST(RH_X)
#undef RH_X
};

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {

  if (strcmp(names[problem->op->id], "affine") == 0)
    return rh_decline(answer, RH_WHY_OP, "affine does not commute");
  return right_query(problem, values, answer);
}

RIGHT_BUT("table_by_operator", .summary = "crashes for an unknown operator", .query = query);
