/* V63: writes one byte past the memory from alloc(). */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  char *name = host->alloc(host, 13);
  if (!name) return RH_E_NOMEM;
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = name;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  volatile char *name = ((right *)instance)->own;
  name[13] = 'x';
  return right_run(instance, run);
}

RIGHT_BUT("byte_behind_alloc", .summary = "a byte behind its memory", .setup = setup, .run = run);
