/* V18: setup is null. */
#include "../right.h"

RIGHT_BUT(no_setup, .summary = "has no setup", .setup = NULL);

RH_PLUGIN(&strategy_no_setup);
