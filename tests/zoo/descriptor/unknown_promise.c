/* V20: an unknown promise. */
#include "../right.h"

RIGHT_BUT(unknown_promise, .summary = "promises bit 40", .promises = 1ull << 40);

RH_PLUGIN(&strategy_unknown_promise);
