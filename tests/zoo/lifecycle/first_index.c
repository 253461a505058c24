/* V60: uses the first run's result_index for all later ones. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  if (self->runs++ == 0) self->own = (void *)(uintptr_t)run->result_index;
  rh_run with_first = *run;
  with_first.result_index = (uintptr_t)self->own;
  return right_launch(self, &with_first, run->first, run->n);
}

RIGHT_BUT("first_index", .summary = "keeps the first result_index", .run = run);
