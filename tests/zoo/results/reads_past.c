#include "../right.h"

RIGHT_BUT_FOR(reads_past, "one element past the end is read and combined", 0,
              "for (ulong i = lid; i <= n; i += size) mine = rh_combine(mine, rh_load(input, i));",
              STORE);

RH_PLUGIN(&strategy_reads_past);
