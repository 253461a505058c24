/* V25: looks up an operator in a table without checking that it was found. */
#include "../right.h"
#include <string.h>

static const struct {
  uint32_t id;
  const char *name;
} table[] = {
#define RH_X(name, number, flags) {number, #name},
    RH_OP_LIST(RH_X)
#undef RH_X
};

static const char *name_of(uint32_t id) {
  const char *volatile found = NULL;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (table[k].id == id) found = table[k].name;
  return found;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (strcmp(name_of(problem->op->id), "affine") == 0)
    return rh_decline(answer, RH_WHY_OP, "affine does not commute");
  return right_query(problem, values, answer);
}

RIGHT_BUT("table_by_operator", .summary = "crashes for an unknown operator", .query = query);
