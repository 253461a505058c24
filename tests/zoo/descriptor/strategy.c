/* Plugins with a strategy whose constant data are wrong. */
#include "../right.h"

/* V20: promises the canonical order, and bits that are the same with one device only. */
VARIANT(canonical_that_varies, .summary = "promises what it takes back",
        .promises = RH_CANONICAL_ORDER, .determinism = RH_BITS_SAME_LAUNCH);

/* V20: promises the bits of the canonical order, and those of exact sums. */
VARIANT(two_orders, .summary = "promises two kinds of bits",
        .promises = RH_CANONICAL_ORDER | RH_ROUNDS_ONCE, .determinism = RH_BITS_SAME_EVERYWHERE);

/* V17: a string in Latin-1, not UTF-8. */
VARIANT(latin_1, .summary = "a Latin-1 author", .author = "B\xe4r");

static const rh_param least_above_most[] = {
    RH_NUMBER("tile", 4, 8, 1, "elements"),
};

/* V19: an empty range. */
VARIANT(least_above_most, .summary = "a table of parameters that is wrong",
        RH_PARAMS(least_above_most));

/* V17: a name of 64 bytes, one too many. */
VARIANT(long_name, .summary = "a long name",
        .name = "a234567890123456789012345678901234567890123456789012345678901234");

/* V20: runs on no kind of device. */
VARIANT(no_kind, .summary = "runs nowhere", .device_kinds = 0);

static const rh_param no_power[] = {
    {.key = "tile",
     .doc = "elements",
     .min = 1,
     .max = 128,
     .initial = 96,
     .step = 1,
     .flags = RH_PARAM_POWER_OF_TWO},
};

/* V19: a power-of-two parameter with the default 96. */
VARIANT(no_power, .summary = "a table of parameters that is wrong", RH_PARAMS(no_power));

/* V18: query is null. */
VARIANT(no_query, .summary = "has no query", .query = NULL);

/* V18: run is null. */
VARIANT(no_run, .summary = "has no run", .run = NULL);

/* V18: setup is null. */
VARIANT(no_setup, .summary = "has no setup", .setup = NULL);

static const rh_param no_step[] = {
    {.key = "tile", .doc = "elements", .min = 1, .max = 8, .initial = 1},
};

/* V19: a step of 0. */
VARIANT(no_step, .summary = "a table of parameters that is wrong", RH_PARAMS(no_step));

/* V17: a string that is null. */
VARIANT(no_summary, .summary = NULL);

static const rh_param same_key[] = {
    RH_NUMBER("tile", 1, 1, 8, "elements"),
    RH_NUMBER("tile", 1, 1, 8, "elements again"),
};

/* V19: two parameters with the same key. */
VARIANT(same_key, .summary = "a table of parameters that is wrong", RH_PARAMS(same_key));

/* V17: a strategy struct shorter than in ABI 1.0. */
VARIANT(short_strategy, .summary = "says that it has 64 bytes", .struct_size = 64);

/* V20: an unknown promise about bits. */
VARIANT(unknown_determinism, .summary = "promises 4", .determinism = 4);

/* V20: an unknown promise. */
VARIANT(unknown_promise, .summary = "promises bit 40", .promises = 1ull << 40);

RH_PLUGIN(&ZOO_STRATEGY);
