/* V34: never releases a reference to the input. */
#include "../right.h"
#include <CL/cl.h>

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  if (self->runs++ == 0) clRetainMemObject(run->input);
  return right_run(instance, run);
}

RIGHT_BUT("retains_buffer", .summary = "retains the input", .run = run);
