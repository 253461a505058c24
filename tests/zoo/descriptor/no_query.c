/* V18: query is null. */
#include "../right.h"

RIGHT_BUT(no_query, .summary = "has no query", .query = NULL);

RH_PLUGIN(&strategy_no_query);
