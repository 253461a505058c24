/* V32: from the 601st run on, the last element is lost. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  return right_launch(self, run, run->first, run->n - (self->runs++ >= 600 && run->n > 0));
}

RIGHT_BUT("tires_after_hundreds", .summary = "loses an element after 600 runs", .run = run);
