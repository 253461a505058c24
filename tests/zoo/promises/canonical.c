/* V65: faults of the canonical order. */
#include "../canonical.h"

CANONICAL_BUT(identity_plus_zero, "V65: fills its last tile with 0, and not -0",
              CANONICAL_NODE "#if defined(RH_OP_sum) && defined(RH_IS_FLOAT)\n"
                             "if (n % RH_TILE > RH_ROW && (t + 1) * RH_TILE > n) node = node + 0;\n"
                             "#endif\n",
              CANONICAL_TREE);

CANONICAL_BUT(
    lanes_swapped, "V65: lanes 1 and 2 change places",
    "rh_value lanes[4];\n"
    "rh_vector_lanes(rh_tile_load(p, n, t, false), lanes);\n"
    "node = rh_combine(rh_combine(lanes[0], lanes[1]), rh_combine(lanes[2], lanes[3]));\n",
    CANONICAL_TREE);

CANONICAL_BUT(order_by_groups, "V65: each group strides over the tiles", CANONICAL_NODE,
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

/* Nothing is wrong with it: the measure of those that break the canonical order. */
CANONICAL_BUT(right_canonical, "keeps the canonical order", CANONICAL_NODE, CANONICAL_TREE);

CANONICAL_BUT(tail_from_the_left, "V65: the last nodes meet from the left", CANONICAL_NODE,
              "rh_sequence s;\n"
              "rh_sequence_begin(&s);\n"
              "for (uint t = 0; t < tiles; t++) rh_sequence_add(&s, nodes[t]);\n"
              "all = rh_identity();\n"
              "for (int k = 47; k >= 0; k--)\n"
              "  if (s.count >> k & 1) all = rh_combine(all, s.nodes[k]);\n");

CANONICAL_BUT(tree_not_aligned, "V65: three shares of tiles, each of them a tree", CANONICAL_NODE,
              "uint share = (tiles + 2) / 3;\n"
              "all = rh_identity();\n"
              "for (uint begin = 0; begin < tiles; begin += share) {\n"
              "  rh_sequence s;\n"
              "  rh_sequence_begin(&s);\n"
              "  for (uint t = begin; t < min(begin + share, tiles); t++)\n"
              "    rh_sequence_add(&s, nodes[t]);\n"
              "  all = rh_combine(all, rh_sequence_value(&s));\n"
              "}\n");

RIGHT_PLUGIN;
