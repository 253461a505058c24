#include "wrong.h"

WRONG("writes_far_beside", "a value far behind the result is written, too", 0, WALK,
      STORE "if (lid == 0) result[at + 3000] = all;");
