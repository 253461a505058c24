/* Declines in a sentence that fills its field to the last byte; the host ends it.  Otherwise fine.
 */
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
