/* V59: its score depends on the calling thread. */
#include "../right.h"

static __thread int32_t asked __attribute__((tls_model("global-dynamic")));

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = (asked = asked ? asked : 7) + (int32_t)((uintptr_t)&asked >> 12 & 255);
  return RH_OK;
}

RIGHT_BUT("score_by_thread", .summary = "its score depends on the calling thread", .query = query);
