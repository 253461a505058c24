#include "../right.h"

RIGHT_BUT_FOR(tail_twice, "the last element is taken twice where n is not a multiple of the group",
              0,
              WALK "if (n % size != 0 && lid == 0) mine = rh_combine(mine, rh_load(input, n - 1));",
              STORE);

RH_PLUGIN(&strategy_tail_twice);
