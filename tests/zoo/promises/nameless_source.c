/* V57: does not name its source, so that the compiler's messages have no file. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  struct _cl_program *program;
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(host->build(host, "", RIGHT_KERNEL(WALK, STORE), "", &program));
  return rh_group_kernel(host, program, "right", self->group, &self->kernel);
}

RIGHT_BUT("nameless_source", .summary = "gives its source no name", .setup = setup);
