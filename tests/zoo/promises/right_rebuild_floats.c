/* Correct: a parameter changes the code only where the bits depend on the order, as declared. */
#include "../right.h"

enum { UNROLL };
static const rh_param params[] = {[UNROLL] = {.key = "unroll",
                                              .doc = "elements of a float sum at a time",
                                              .min = 1,
                                              .max = 8,
                                              .initial = 1,
                                              .step = 1,
                                              .flags = RH_PARAM_REBUILD}};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  int is_exact = (problem->op->flags & RH_OP_EXACT) != 0;
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d", is_exact ? 1 : (int)values[UNROLL]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT("right_rebuild_floats", .summary = "a parameter that matters for floats only",
          RH_PARAMS(params), .setup = setup);
