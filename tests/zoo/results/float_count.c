#include "../right.h"

/* Counts above 2^24 lose their last bit: n = 2^24+1 becomes 2^24. */
RIGHT_BUT_FOR(
    float_count, "the count passes through a float", 0,
    "ulong count = (ulong)(float)n;"
    "for (ulong i = lid; i < count; i += size) mine = rh_combine(mine, rh_load(input, i));",
    STORE);

RH_PLUGIN(&strategy_float_count);
