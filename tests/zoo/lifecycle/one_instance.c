/* V37: the instance is a static variable. */
#include "../right.h"

static right only;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  void *made;
  RH_TRY(right_setup(host, problem, values, &made));
  only = *(const right *)made;
  *instance = &only;
  return RH_OK;
}

RIGHT_BUT("one_instance", .summary = "two instances are one", .setup = setup);
