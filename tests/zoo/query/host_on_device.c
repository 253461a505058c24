/* V29: runs on the host, but its answer says that it finishes on the device. */
#include "../loading/zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  zoo_query(problem, params, answer);
  answer->finishes_on_host = 0;
  return RH_OK;
}

ZOO_STRATEGY(host_on_device, "host_on_device", query);
ZOO_PLUGIN;
