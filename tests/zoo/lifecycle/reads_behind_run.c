/* V38: reads a field that was added to rh_run after 1.0, without RH_HAS. */
#include "../right.h"

typedef struct newer {
  rh_run of_1_0;
  uint64_t appended;
} newer;

static rh_status run(void *instance, const rh_run *run) {
  const volatile newer *there = (const volatile newer *)run;
  (void)there->appended;
  return right_run(instance, run);
}

RIGHT_BUT("reads_behind_run", .summary = "reads behind rh_run", .run = run);
