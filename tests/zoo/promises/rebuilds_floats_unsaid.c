/* V55: as rebuilds_unsaid, but only where the bits depend on the order. */
#include "../right.h"

enum { UNROLL };
static const rh_param params[] = {[UNROLL] = RH_NUMBER("unroll", 1, 1, 8, "elements at a time")};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  int is_exact = (problem->op->flags & RH_OP_EXACT) != 0;
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d", is_exact ? 1 : (int)values[UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT("rebuilds_floats_unsaid", .summary = "lacks RH_PARAM_REBUILD", RH_PARAMS(params),
          .setup = setup);
