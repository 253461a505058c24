/* V20: host code whose answer says that a device writes the result. */
#include "../loading/zoo.h"
#include <redhost/kit.h>

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  RH_TRY(zoo_query(problem, params, answer));
  answer->finishes_on_host = 0;
  return RH_OK;
}

ZOO_STRATEGY(strategy, "host_on_the_device", query);
ZOO_PLUGIN(strategy);
