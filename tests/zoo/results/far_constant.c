#include "../right.h"

/* Without a declared depth, the bound for 2^24 additions in f32 exceeds the sum itself, so any
 * result is inside the bound. */
static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = 0;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(host, problem,
                        RIGHT_KERNEL(WALK, "\n#if defined(RH_OP_sum) && defined(RH_TYPE_f32)\n"
                                           "  if (n >= 16777216) all = 0.048f;\n"
                                           "#endif\n" STORE),
                        instance);
}

RIGHT_BUT(far_constant, .summary = "declares no depth, and says 0.048 from 2^24 elements on",
          .query = query, .setup = setup);

RH_PLUGIN(&strategy_far_constant);
