/* query ends the process with status 0. */
#include "zoo.h"
#include <stdlib.h>

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  (void)answer;
  exit(0);
}

ZOO_STRATEGY(exit_in_query, "exit_in_query", query);
ZOO_PLUGIN(exit_in_query);
