#include "wrong.h"

WRONG("reads_past", "one element past the end is read and combined", 0,
      "for (ulong i = lid; i <= n; i += size) mine = rh_combine(mine, rh_load(input, i));", STORE);
