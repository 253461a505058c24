#include "../right.h"

/* A halving tree with a group size that is not a power of two. */
RIGHT_BUT_FOR(power_of_two_tree, "the tree drops the odd value of a level", 0,
              WALK "scratch[lid] = mine; barrier(CLK_LOCAL_MEM_FENCE);"
                   "uint width = 63;"
                   "if (lid == 0) scratch[62] = rh_combine(scratch[62], scratch[63]);"
                   "barrier(CLK_LOCAL_MEM_FENCE);"
                   "for (uint s = width / 2; s > 0; s /= 2) {"
                   "  if (lid < s) scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
                   "  barrier(CLK_LOCAL_MEM_FENCE); }"
                   "mine = lid == 0 ? scratch[0] : rh_identity();"
                   "barrier(CLK_LOCAL_MEM_FENCE);",
              STORE);

RH_PLUGIN(&strategy_power_of_two_tree);
