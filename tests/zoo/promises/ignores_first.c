/* V45: starts at the first element of the buffer instead of the range. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  return right_launch(instance, run, 0, run->n);
}

RIGHT_BUT("ignores_first", .summary = "ignores where the range begins", .run = run);
