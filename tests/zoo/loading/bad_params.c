/* A default outside its own range. */
#include "zoo.h"

static const rh_param params[] = {
    {.key = "tile", .doc = "elements", .min = 1, .max = 64, .initial = 100, .step = 1}};

static const rh_strategy bad_params = {.struct_size = sizeof(rh_strategy),
                                       .device_kinds = RH_DEVICE_HOST,
                                       .name = "bad_params",
                                       ZOO_TEXTS,
                                       .n_params = 1,
                                       .param_stride = sizeof(rh_param),
                                       .params = params,
                                       .query = zoo_query,
                                       .setup = zoo_setup,
                                       .run = zoo_run};
ZOO_PLUGIN(bad_params);
