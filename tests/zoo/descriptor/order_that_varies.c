/* V20: keeps the order of elements, but its bits may change from run to run. */
#include "../loading/zoo.h"

static const rh_strategy strategy = {.struct_size = sizeof(rh_strategy),
                                     .device_kinds = RH_DEVICE_HOST,
                                     .name = "order_that_varies",
                                     ZOO_TEXTS,
                                     .promises = RH_KEEPS_ORDER,
                                     .determinism = RH_BITS_VARY,
                                     .query = zoo_query,
                                     .setup = zoo_setup,
                                     .run = zoo_run};
ZOO_PLUGIN(strategy);
