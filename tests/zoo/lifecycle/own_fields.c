/* V39: calls a made-up function past the end of the 1.0 host table. */
#include "../right.h"

typedef struct my_host {
  rh_host of_1_0;
  void (*progress)(const rh_host *, double done);
} my_host;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  const my_host *mine = (const my_host *)host;
  if (host->struct_size >= sizeof *mine) mine->progress(host, 0.0);
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT("own_fields", .summary = "calls an appended field of its own making", .setup = setup);
