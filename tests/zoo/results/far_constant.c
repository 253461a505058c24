#include "../right.h"

/* Without a declared depth, the bound for 2^24 additions in f32 exceeds the sum itself, so any
 * result is inside the bound. */
QUERY(far_constant) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = 0;
  return RH_OK;
}

BUT_KERNEL(far_constant, WALK,
           "\n#if defined(RH_OP_sum) && defined(RH_TYPE_f32)\n"
           "  if (n >= 16777216) all = 0.048f;\n"
           "#endif\n" STORE,
           .query = far_constant_query);

RIGHT_PLUGIN;
