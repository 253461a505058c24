/* V19: a power-of-two parameter with the default 96. */
#include "../right.h"

static const rh_param params[] = {
    {.key = "tile",
     .doc = "elements",
     .min = 1,
     .max = 128,
     .initial = 96,
     .step = 1,
     .flags = RH_PARAM_POWER_OF_TWO},
};

RIGHT_BUT(no_power, .summary = "a table of parameters that is wrong", RH_PARAMS(params));

RH_PLUGIN(&strategy_no_power);
