/* V19: a default outside its own range. */
#include "zoo.h"

static const rh_param params[] = {
    {.key = "tile", .doc = "elements", .min = 1, .max = 64, .initial = 100, .step = 1}};

ZOO_STRATEGY_BUT(bad_params, "bad_params", .n_params = 1, .param_stride = sizeof(rh_param),
                 .params = params);
ZOO_PLUGIN;
