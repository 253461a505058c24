/* V19: two parameters with the same key. */
#include "../right.h"

static const rh_param params[] = {
    RH_NUMBER("tile", 1, 1, 8, "elements"),
    RH_NUMBER("tile", 1, 1, 8, "elements again"),
};

RIGHT_BUT(same_key, .summary = "a table of parameters that is wrong", RH_PARAMS(params));

RH_PLUGIN(&strategy_same_key);
