/* V17: a name of 64 bytes, one too many. */
#include "../right.h"

RIGHT_BUT("a234567890123456789012345678901234567890123456789012345678901234",
          .summary = "a long name");
