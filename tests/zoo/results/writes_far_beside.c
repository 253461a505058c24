#include "../right.h"

RIGHT_BUT_FOR(writes_far_beside, "a value far behind the result is written, too", 0, WALK,
              STORE "if (lid == 0) result[at + 3000] = all;");

RH_PLUGIN(&strategy_writes_far_beside);
