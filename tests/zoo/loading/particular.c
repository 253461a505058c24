/* Correct, but query declines one value of its parameter and setup another: for tuned
 * parameters, which may come from another machine. */
#include "zoo.h"
#include <redhost/kit.h>

enum { NONE, IN_QUERY, IN_SETUP };
static const rh_param params[] = {
    RH_CHOICE("declines", "nowhere|query|setup", 3, "where it cannot go on"),
    RH_NUMBER("width", 8, 1, 64, "means nothing"),
};

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (values[0] == IN_QUERY)
    return rh_decline(answer, RH_WHY_PARAM, "declines=query is nothing for this machine");
  return zoo_query(problem, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **self) {
  if (values[0] == IN_SETUP) return host->fail(host, RH_DECLINED, 0, "declines=setup at last");
  return zoo_setup(host, problem, values, self);
}

ZOO_STRATEGY_BUT(particular, "particular", RH_PARAMS(params), .query = query, .setup = setup);
ZOO_PLUGIN;
