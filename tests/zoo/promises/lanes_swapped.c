/* V65: the last four lanes of a tile meet neighbours first, not the upper half onto the lower. */
#include "../canonical.h"

CANONICAL_BUT(
    "lanes_swapped", "lanes 1 and 2 change places",
    "rh_value lanes[4];\n"
    "rh_vector_lanes(rh_tile_load(p, n, t, false), lanes);\n"
    "node = rh_combine(rh_combine(lanes[0], lanes[1]), rh_combine(lanes[2], lanes[3]));\n",
    CANONICAL_TREE);
