/* V44: set up for few elements, every work-item has a share of max_n of them, rounded down.  What
 * is left over is taken where n is max_n, or one less, and lost between there and the last
 * share. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  uint64_t shared = self->max_n / self->group * self->group;
  int loses = self->max_n <= 4096 && run->n > shared && run->n + 1 < self->max_n;
  return right_launch(self, run, run->first, loses ? shared : run->n);
}

RIGHT_BUT("share_of_most", .summary = "loses the rest of max_n by the group", .run = run);
