/* V20: a promise that no version knows. */
#include "../right.h"

RIGHT_BUT("unknown_promise", .summary = "promises bit 40", .promises = 1ull << 40);
