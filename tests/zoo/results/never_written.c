#include "../right.h"

RIGHT_BUT_FOR(never_written, "the result is never written", 0, WALK, "");

RH_PLUGIN(&strategy_never_written);
