/* V53: loses an element for some sizes that are in no list of test sizes. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  uint64_t lost = run->n > 34 && run->n % 61 == 55;
  return right_launch(instance, run, run->first, run->n - lost);
}

RIGHT_BUT("rare_size", .summary = "is wrong where n leaves 55 of 61", .run = run);
