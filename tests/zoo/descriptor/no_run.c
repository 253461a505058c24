/* V18: run is null. */
#include "../right.h"

RIGHT_BUT(no_run, .summary = "has no run", .run = NULL);

RH_PLUGIN(&strategy_no_run);
