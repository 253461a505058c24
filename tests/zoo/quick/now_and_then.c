/* V32: every 500th run of an instance loses its last element. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  return right_launch(self, run, run->first, run->n - (++self->runs % 500 == 0 && run->n > 0));
}

RIGHT_BUT("now_and_then", .summary = "every 500th run is wrong", .run = run);
