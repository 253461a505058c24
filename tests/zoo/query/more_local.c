/* V29: uses twice the declared local memory. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  right *self = *instance;
  self->local_bytes *= 2;
  return RH_OK;
}

RIGHT_BUT("more_local", .summary = "takes more local memory than it said", .setup = setup);
