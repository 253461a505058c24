#include "wrong.h"

WRONG("drops_last", "the last element is lost past 1000 elements", 0,
      "ulong most = n > 1000 ? n - 1 : n;"
      "for (ulong i = lid; i < most; i += size) mine = rh_combine(mine, rh_load(input, i));",
      STORE);
