/* V15: is declared unloadable, but linked with -z nodelete. */
#include "zoo.h"

ZOO_STRATEGY(stays_mapped, "stays_mapped", zoo_query);
static const rh_strategy *const strategies[] = {&stays_mapped};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {ZOO_HEAD, .n_strategies = 1,
                                               .flags = RH_PLUGIN_UNLOADABLE,
                                               .strategies = strategies, .build = "zoo"};
