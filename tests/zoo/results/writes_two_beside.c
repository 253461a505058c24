#include "../right.h"

RIGHT_BUT_FOR(writes_two_beside, "result[result_index + 2] is written, too", 0, WALK,
              STORE "if (lid == 0) result[at + 2] = all;");

RH_PLUGIN(&strategy_writes_two_beside);
