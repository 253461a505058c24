/* V20: host code that needs sub-groups, which only OpenCL devices have. */
#include "../loading/zoo.h"

ZOO_STRATEGY_BUT(strategy, "host_with_needs", .needs = RH_SUBGROUPS);
ZOO_PLUGIN;
