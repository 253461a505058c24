/* V17: two strategies with the same name in one plugin. */
#include "zoo.h"

ZOO_STRATEGY(one, "same", zoo_query);
ZOO_STRATEGY(two, "same", zoo_query);
static const rh_strategy *const strategies[] = {&one, &two};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {ZOO_HEAD, .n_strategies = 2,
                                               .strategies = strategies, .build = "zoo"};
