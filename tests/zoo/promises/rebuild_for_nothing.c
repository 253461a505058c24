/* V55: a parameter is declared to change the code that is built, but does not. */
#include "../right.h"

static const rh_param params[] = {{.key = "tile",
                                   .doc = "has no effect",
                                   .min = 1,
                                   .max = 8,
                                   .initial = 1,
                                   .step = 1,
                                   .flags = RH_PARAM_REBUILD}};

RIGHT_BUT("rebuild_for_nothing", .summary = "has RH_PARAM_REBUILD and does not rebuild",
          RH_PARAMS(params));
