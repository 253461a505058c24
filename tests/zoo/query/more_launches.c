/* V29: launches its kernel twice, but declares one launch. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  RH_TRY(right_run(instance, run));
  return right_run(instance, run);
}

RIGHT_BUT("more_launches", .summary = "launches more than it said", .run = run);
