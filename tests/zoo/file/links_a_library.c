/* V04: linked to a library that a host need not have. */
#include "../right.h"

RIGHT_BUT("links_a_library", .summary = "needs libjansson");
