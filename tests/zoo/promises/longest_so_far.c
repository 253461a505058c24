/* V44: reduces as many elements as the longest earlier run. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  if (run->n == 0) return right_run(instance, run);
  if (self->runs < run->n) self->runs = run->n;
  return right_launch(self, run, run->first, self->runs);
}

RIGHT_BUT("longest_so_far", .summary = "remembers the largest n", .run = run);
