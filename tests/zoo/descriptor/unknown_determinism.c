/* V20: a promise about bits that no version knows. */
#include "../right.h"

RIGHT_BUT("unknown_determinism", .summary = "promises 4", .determinism = 4);
