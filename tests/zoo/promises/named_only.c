/* V69: of values of 32 bytes the last element is lost: no other test has such values. */
#include "../own.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  RH_TRY(right_setup_of(host, problem, OWN_KERNEL(WALK), instance));
  ((right *)*instance)->own = problem->op->value_size == 32 ? *instance : NULL;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  return own_launch(self, run, self->own && run->n ? run->n - 1 : run->n);
}

OWN_BUT("named_only", .summary = "loses an element of values of 32 bytes", .setup = setup,
        .run = run);
