/* V03: calls a function that nothing defines: its author expected the host to export it. */
#include "zoo.h"

extern void zoo_nobody_defines_this(void);

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  zoo_nobody_defines_this();
  return zoo_query(problem, params, answer);
}

ZOO_STRATEGY(undefined_symbol, "undefined_symbol", query);
ZOO_PLUGIN;
