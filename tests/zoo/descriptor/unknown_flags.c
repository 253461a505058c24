/* V16: an unknown flag of rh_plugin. */
#define RH_PLUGIN_FLAGS 0x80u
#include "../right.h"

RIGHT_BUT(unknown_flags, .summary = "has an unknown flag");

RH_PLUGIN(&strategy_unknown_flags);
