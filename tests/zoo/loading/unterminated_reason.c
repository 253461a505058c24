/* Declines with a reason that fills its field to the last byte, so that the host must terminate
 * it.  Otherwise correct. */
#include "zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  answer->why = RH_WHY_SIZE;
  memset(answer->reason, 'x', sizeof answer->reason);
  return RH_DECLINED;
}

ZOO_STRATEGY(unterminated_reason, "unterminated_reason", query);
ZOO_PLUGIN(unterminated_reason);
