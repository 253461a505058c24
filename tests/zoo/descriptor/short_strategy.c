/* V17: a strategy struct shorter than in ABI 1.0. */
#include "../right.h"

RIGHT_BUT(short_strategy, .summary = "says that it has 64 bytes", .struct_size = 64);

RH_PLUGIN(&strategy_short_strategy);
