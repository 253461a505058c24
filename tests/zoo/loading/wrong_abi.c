/* Has another major version of the ABI under this one's symbol. */
#include "zoo.h"

ZOO_STRATEGY(wrong_abi, "wrong_abi", zoo_query);
static const rh_strategy *const strategies[] = {&wrong_abi};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {.magic = RH_MAGIC,
                                               .struct_size = sizeof(rh_plugin),
                                               .abi_major = 3,
                                               .n_strategies = 1,
                                               .strategies = strategies,
                                               .build = "zoo"};
