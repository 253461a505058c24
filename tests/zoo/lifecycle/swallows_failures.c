/* V33: ignores a failed scratch() and reports success. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = 64;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  host->scratch(host, 64, &scratch);
  return RH_OK;
}

RIGHT_BUT("swallows_failures", .summary = "a service that fails goes unnoticed", .query = query,
          .setup = setup);
