#include "wrong.h"

/* What comparing floats as floats does: no NaN is less than anything. */
WRONG("nan_lost", "a NaN is passed over", 0,
      "for (ulong i = lid; i < n; i += size) {\n"
      "#if defined(RH_TYPE_f32) || defined(RH_TYPE_f64)\n"
      "  if (isnan(input[i])) continue;\n"
      "#endif\n"
      "  mine = rh_combine(mine, rh_load(input, i));"
      "}",
      STORE);
