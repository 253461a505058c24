/* V65: where a tile ends early, 0 stands for what is missing, and not -0. */
#include "../canonical.h"

CANONICAL_BUT("identity_plus_zero", "fills its last tile with 0",
              CANONICAL_NODE "#if defined(RH_OP_sum) && defined(RH_IS_FLOAT)\n"
                             "if (n % RH_TILE > RH_ROW && (t + 1) * RH_TILE > n) node = node + 0;\n"
                             "#endif\n",
              CANONICAL_TREE);
