/* V37: uses the first instance's host for all instances. */
#include "../right.h"

static const rh_host *first;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  if (!first) first = host;
  ((right *)*instance)->host = first;
  return RH_OK;
}

RIGHT_BUT("first_host", .summary = "remembers the first host table", .setup = setup);
