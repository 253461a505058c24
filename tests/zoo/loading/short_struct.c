/* A descriptor that is shorter than in ABI 1.0. */
#include "zoo.h"

ZOO_STRATEGY(short_struct, "short_struct", zoo_query);
static const rh_strategy *const strategies[] = {&short_struct};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {.magic = RH_MAGIC,
                                               .struct_size = 8,
                                               .abi_major = RH_ABI_MAJOR,
                                               .n_strategies = 1,
                                               .strategies = strategies,
                                               .build = "zoo"};
