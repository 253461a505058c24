/* V29: obtains scratch memory that its answer does not declare. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  struct _cl_mem *more;
  RH_TRY(right_setup(host, problem, values, instance));
  return host->scratch(host, 4096, &more);
}

RIGHT_BUT("more_scratch", .summary = "obtains more memory than it said", .setup = setup);
