/* V50: promises the same bits from run to run, but alternates the direction. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("ulong odd = at >> 63; at = at << 1 >> 1;"
                                     "for (ulong k = lid; k < n; k += size) {"
                                     "  ulong i = odd ? n - 1 - k : k;"
                                     "  mine = rh_combine(mine, rh_load(input, i)); }",
                                     STORE),
                        instance);
}

static rh_status run(void *instance, const rh_run *run) {
  right *self = instance;
  rh_run this = *run;
  this.result_index |= self->runs++ % 2 << 63;
  return right_run(instance, &this);
}

RIGHT_BUT("varies", .summary = "every other run takes another order", .setup = setup, .run = run);
