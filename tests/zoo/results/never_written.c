#include "wrong.h"

WRONG("never_written", "the result is never written", 0, WALK, "");
