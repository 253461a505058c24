/* V17: a string that is null. */
#include "../right.h"

RIGHT_BUT(no_summary, .summary = NULL);

RH_PLUGIN(&strategy_no_summary);
