#include "../right.h"

/* A halving tree without barriers between its steps. */
RIGHT_BUT_FOR(no_barrier, "the tree lacks its barriers", 0,
              WALK "scratch[lid] = mine;"
                   "for (uint s = size / 2; s > 0; s /= 2)"
                   "  if (lid < s) scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
                   "mine = lid == 0 ? scratch[0] : rh_identity();"
                   "barrier(CLK_LOCAL_MEM_FENCE);",
              STORE);

RH_PLUGIN(&strategy_no_barrier);
