/* V35: aborts when it is run over more elements than it was set up for. */
#undef NDEBUG
#include "../right.h"
#include <assert.h>

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  assert(run->n <= self->max_n);
  return right_launch(self, run, run->first, run->n);
}

RIGHT_BUT("asserts_size", .summary = "aborts for more elements than max_n", .run = run);
