#include "../right.h"

RIGHT_BUT_FOR(
    drops_last, "the last element is lost past 1000 elements", 0,
    "ulong most = n > 1000 ? n - 1 : n;"
    "for (ulong i = lid; i < most; i += size) mine = rh_combine(mine, rh_load(input, i));",
    STORE);

RH_PLUGIN(&strategy_drops_last);
