/* V57: ignores a failed build until run. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  right_build(*instance, RIGHT_KERNEL(WALK, STORE), "");
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  if (!self->kernel) return self->host->fail(self->host, RH_E_INTERNAL, 0, "there is no kernel");
  return right_run(instance, run);
}

RIGHT_BUT("swallows_build_failure", .summary = "a failed build goes unnoticed", .setup = setup,
          .run = run);
