/* V65: the tiles are cut into three shares of equal length, which begin at any tile. */
#include "../canonical.h"

CANONICAL_BUT("tree_not_aligned", "three shares of tiles, each of them a tree", CANONICAL_NODE,
              "uint share = (tiles + 2) / 3;\n"
              "all = rh_identity();\n"
              "for (uint begin = 0; begin < tiles; begin += share) {\n"
              "  rh_sequence s;\n"
              "  rh_sequence_begin(&s);\n"
              "  for (uint t = begin; t < min(begin + share, tiles); t++)\n"
              "    rh_sequence_add(&s, nodes[t]);\n"
              "  all = rh_combine(all, rh_sequence_value(&s));\n"
              "}\n");
