/* V44: where max_n is a multiple of 8, the work is divided into eighths of it.  Where n is a whole
 * number of them, and not all, the last element is taken for the first one of another share. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  uint64_t share = self->max_n / 8;
  int is_whole = self->max_n % 8 == 0 && share > 64 && run->n > 0 && run->n < self->max_n;
  return right_launch(self, run, run->first, run->n - (is_whole && run->n % share == 0));
}

RIGHT_BUT("whole_shares", .summary = "is wrong at whole eighths of max_n", .run = run);
