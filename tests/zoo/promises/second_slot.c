/* V60: always writes result[1] instead of result[result_index]. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  rh_run to_second = *run;
  to_second.result_index = 1;
  return right_launch(instance, &to_second, run->first, run->n);
}

RIGHT_BUT("second_slot", .summary = "writes result[1]", .run = run);
