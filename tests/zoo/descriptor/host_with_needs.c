/* V20: host code that needs sub-groups, which only OpenCL devices have. */
#include "../loading/zoo.h"

static const rh_strategy strategy = {.struct_size = sizeof(rh_strategy),
                                     .device_kinds = RH_DEVICE_HOST,
                                     .name = "host_with_needs",
                                     ZOO_TEXTS,
                                     .promises = RH_KEEPS_ORDER,
                                     .needs = RH_SUBGROUPS,
                                     .determinism = RH_BITS_SAME_EVERYWHERE,
                                     .query = zoo_query,
                                     .setup = zoo_setup,
                                     .run = zoo_run};
ZOO_PLUGIN(strategy);
