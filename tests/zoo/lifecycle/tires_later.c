/* V32: from the 201st run on, the last element is lost. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  return right_launch(self, run, run->first, run->n - (self->runs++ >= 200 && run->n > 0));
}

RIGHT_BUT("tires_later", .summary = "loses an element after 200 runs", .run = run);
