/* V19: a step of 0. */
#include "../right.h"

static const rh_param params[] = {
    {.key = "tile", .doc = "elements", .min = 1, .max = 8, .initial = 1},
};

RIGHT_BUT(no_step, .summary = "a table of parameters that is wrong", RH_PARAMS(params));

RH_PLUGIN(&strategy_no_step);
