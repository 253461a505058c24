#include "../right.h"

/* The last of several equal elements wins, as in several libraries. */
RIGHT_BUT_FOR(ties_by_arrival, "a tie goes to the later element", 0,
              "for (ulong i = lid; i < n; i += size) {"
              "  rh_value next = rh_load(input, i);\n"
              "#ifdef RH_IS_INDEXED\n"
              "  if (!RH_BEATS(mine.key, next.key)) mine = next;\n"
              "#else\n"
              "  mine = rh_combine(mine, next);\n"
              "#endif\n"
              "}",
              STORE);

RH_PLUGIN(&strategy_ties_by_arrival);
