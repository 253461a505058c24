/* V65: what the tree has left at the end, a node for each bit of the number of tiles, is combined
 * from the left, the largest ones first. */
#include "../canonical.h"

CANONICAL_BUT("tail_from_the_left", "the last nodes meet from the left", CANONICAL_NODE,
              "rh_sequence s;\n"
              "rh_sequence_begin(&s);\n"
              "for (uint t = 0; t < tiles; t++) rh_sequence_add(&s, nodes[t]);\n"
              "all = rh_identity();\n"
              "for (int k = 47; k >= 0; k--)\n"
              "  if (s.count >> k & 1) all = rh_combine(all, s.nodes[k]);\n");
