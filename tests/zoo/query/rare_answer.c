/* V22: one of 65536 identical questions gets another answer. */
#include "../right.h"

static uint64_t asked;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) % 65536 ? 1 : 2;
  return RH_OK;
}

RIGHT_BUT("rare_answer", .summary = "answers otherwise, once in 65536", .query = query);
