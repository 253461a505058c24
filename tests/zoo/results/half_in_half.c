#include "../right.h"

/* As in CUB: 2048 + 1 is 2048. */
RIGHT_BUT_FOR(
    half_in_half, "sums of f16 are rounded to f16 at every step", 0,
    "for (ulong i = lid; i < n; i += size) {"
    "  mine = rh_combine(mine, rh_load(input, i));\n"
    "#if defined(RH_TYPE_f16) && defined(RH_OP_sum)\n"
    "  ushort bits; vstore_half(mine, 0, (half *)&bits); mine = vload_half(0, (half *)&bits);\n"
    "#endif\n"
    "}",
    STORE);

RH_PLUGIN(&strategy_half_in_half);
