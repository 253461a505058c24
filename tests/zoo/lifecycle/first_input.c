/* V60: uses the first run's input buffer for all later ones. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  if (self->runs++ == 0) self->own = run->input;
  rh_run with_first = *run;
  with_first.input = self->own;
  return right_launch(self, &with_first, run->first, run->n);
}

RIGHT_BUT("first_input", .summary = "keeps the first input buffer", .run = run);
