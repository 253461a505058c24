/* V20: an unknown promise about bits. */
#include "../right.h"

RIGHT_BUT(unknown_determinism, .summary = "promises 4", .determinism = 4);

RH_PLUGIN(&strategy_unknown_determinism);
