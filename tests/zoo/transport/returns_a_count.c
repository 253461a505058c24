/* V75: returns how many bytes it gathered, as read() does. */
#include "right.h"

GATHER {
  return gather(self, mine, n, all, seconds, text, bytes) == 0 ? (int32_t)n : -1;
}

TRANSPORT(.gather = wrong_gather);
