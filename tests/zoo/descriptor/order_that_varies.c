/* V20: keeps the order of elements, but its bits may change from run to run. */
#include "../loading/zoo.h"

ZOO_STRATEGY_BUT(strategy, "order_that_varies", .determinism = RH_BITS_VARY);
ZOO_PLUGIN;
