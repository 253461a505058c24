#include "../right.h"

/* Random elements do not expose it. */
RIGHT_BUT_FOR(greatest_is_none, "takes the greatest f32 for an element that is not there", 0,
              "for (ulong i = lid; i < n; i += size) {\n"
              "#if defined(RH_TYPE_f32)\n"
              "  if (input[i] == FLT_MAX) continue;\n"
              "#endif\n"
              "  mine = rh_combine(mine, rh_load(input, i));"
              "}",
              STORE);

RH_PLUGIN(&strategy_greatest_is_none);
