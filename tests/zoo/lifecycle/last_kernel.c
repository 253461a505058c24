/* V37: the kernel is a static variable, so all instances use that of the last setup. */
#include "../right.h"

static struct _cl_kernel *kernel;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  RH_TRY(right_setup(host, problem, values, instance));
  const right *self = *instance;
  kernel = self->kernel;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  self->kernel = kernel;
  return right_run(self, run);
}

RIGHT_BUT("last_kernel", .summary = "runs the kernel of the last setup", .setup = setup,
          .run = run);
