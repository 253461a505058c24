/* V41: for an empty range, the neighbour of the result is written, too. */
#include "../right.h"

BUT_KERNEL(writes_beside_nothing, WALK,
           "if (lid == 0) result[at] = all; if (lid == 0 && n == 0) result[at + 1] = all;");

RIGHT_PLUGIN;
