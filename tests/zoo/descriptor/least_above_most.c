/* V19: an empty range. */
#include "../right.h"

static const rh_param params[] = {
    RH_NUMBER("tile", 4, 8, 1, "elements"),
};

RIGHT_BUT(least_above_most, .summary = "a table of parameters that is wrong", RH_PARAMS(params));

RH_PLUGIN(&strategy_least_above_most);
