/* V65: as many groups as n has work for, of which each takes every so-manieth tile. */
#include "../canonical.h"

CANONICAL_BUT("order_by_groups", "each group strides over the tiles", CANONICAL_NODE,
              "uint groups = min(64u, tiles / 4 + 1);\n"
              "rh_sequence s;\n"
              "rh_sequence_begin(&s);\n"
              "for (uint g = 0; g < groups; g++) {\n"
              "  rh_sequence own;\n"
              "  rh_sequence_begin(&own);\n"
              "  for (uint t = g; t < tiles; t += groups) rh_sequence_add(&own, nodes[t]);\n"
              "  rh_sequence_add(&s, rh_sequence_value(&own));\n"
              "}\n"
              "all = rh_sequence_value(&s);\n");
