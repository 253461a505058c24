/* V35: clears its scratch memory in setup, where nothing may be enqueued, and ignores the error. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = 64;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const uint32_t zero;
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  RH_TRY(host->scratch(host, 64, &scratch));
  host->fill(host, scratch, 0, &zero, sizeof zero, 16);
  return RH_OK;
}

RIGHT_BUT("fills_in_setup", .summary = "calls fill() in setup", .query = query, .setup = setup);
