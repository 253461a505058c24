/* V25: looks up a type in a table without checking that it was found. */
#include "../right.h"

static const struct {
  rh_type type;
  uint32_t bytes;
} table[] = {
#define RH_X(name, number, bytes) {number, bytes},
    RH_TYPE_LIST(RH_X)
#undef RH_X
};

static const uint32_t *bytes_of(rh_type type) {
  const uint32_t *volatile found = NULL;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (table[k].type == type) found = &table[k].bytes;
  return found;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  uint32_t bytes = *bytes_of(problem->type);
  RH_TRY(right_query(problem, values, answer));
  answer->score = bytes < 8;
  return RH_OK;
}

RIGHT_BUT("table_by_type", .summary = "crashes for an unknown type", .query = query);
