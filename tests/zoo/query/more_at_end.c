/* V29: obtains more scratch memory than declared if its parameter has its greatest value. */
#include "../right.h"

enum { PAD };
static const rh_param params[] = {[PAD] = RH_NUMBER("pad", 0, 0, 4096, "bytes")};

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = values[PAD] ? 64 : 0;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  return values[PAD] ? host->scratch(host, (uint64_t)values[PAD], &scratch) : RH_OK;
}

RIGHT_BUT("more_at_end", .summary = "obtains more memory than it said", RH_PARAMS(params),
          .query = query, .setup = setup);
