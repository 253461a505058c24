/* V55: a parameter changes the code that is built, but is not declared to. */
#include "../right.h"

enum { UNROLL };
static const rh_param params[] = {[UNROLL] = RH_NUMBER("unroll", 1, 1, 8, "elements at a time")};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d", (int)values[UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT("rebuilds_unsaid", .summary = "lacks RH_PARAM_REBUILD", RH_PARAMS(params),
          .setup = setup);
