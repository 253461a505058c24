/* V04: linked to a library that may not be installed. */
#include "../right.h"

RIGHT_BUT(links_a_library, .summary = "needs libjansson");

RH_PLUGIN(&strategy_links_a_library);
