#include "../right.h"

/* As before an exponent was kept apart: the product of a work-item's elements is a plain float. */
RIGHT_BUT_FOR(plain_product, "products of floats overflow on the way", 0,
              "#ifdef RH_IS_SCALED\n"
              "RH_SCALAR plain = 1;\n"
              "for (ulong i = lid; i < n; i += size) {"
              "  rh_value element = rh_load(input, i);"
              "  plain *= ldexp(element.mantissa, (int)element.exponent);\n"
              "}\n"
              "mine.mantissa = rh_split(plain, &mine.exponent);\n"
              "#else\n"
              "for (ulong i = lid; i < n; i += size) mine = rh_combine(mine, rh_load(input, i));\n"
              "#endif\n",
              STORE);

RH_PLUGIN(&strategy_plain_product);
