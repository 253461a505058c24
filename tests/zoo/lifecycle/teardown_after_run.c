/* V31: teardown requires that a run has set up its state. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  self->own = self;
  return right_run(instance, run);
}

static void teardown(void *instance) {
  right *self = instance, *last = self->own;
  last->runs = 0;
}

RIGHT_BUT("teardown_after_run", .summary = "teardown crashes without a run", .run = run,
          .teardown = teardown);
