#include "../right.h"

/* abs() of an int overflows for the least number. */
RIGHT_BUT_FOR(signed_magnitude, "the magnitude of the least number is negative", 0,
              "for (ulong i = lid; i < n; i += size) {\n"
              "#if defined(RH_OP_asum) && defined(RH_TYPE_i32)\n"
              "  uint bits = (uint)input[i];"
              "  mine += (ulong)(long)as_int(input[i] < 0 ? 0u - bits : bits);\n"
              "#else\n"
              "  mine = rh_combine(mine, rh_load(input, i));\n"
              "#endif\n"
              "}",
              STORE);

RH_PLUGIN(&strategy_signed_magnitude);
