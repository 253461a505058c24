#include "../right.h"

RIGHT_BUT_FOR(writes_beside, "the neighbour of the result is written, too", 0, WALK,
              STORE "if (lid == 0) result[at + 1] = all;");

RH_PLUGIN(&strategy_writes_beside);
