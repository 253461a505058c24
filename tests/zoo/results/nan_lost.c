#include "../right.h"

/* The effect of comparing floats directly: NaN is not less than anything. */
RIGHT_BUT_FOR(nan_lost, "a NaN is skipped", 0,
              "for (ulong i = lid; i < n; i += size) {\n"
              "#if defined(RH_TYPE_f32) || defined(RH_TYPE_f64)\n"
              "  if (isnan(input[i])) continue;\n"
              "#endif\n"
              "  mine = rh_combine(mine, rh_load(input, i));"
              "}",
              STORE);

RH_PLUGIN(&strategy_nan_lost);
