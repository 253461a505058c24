/* V77: waits for a fifth of a second, however long it is told to. */
#include "right.h"

GATHER {
  (void)seconds;
  return gather(self, mine, n, all, 0.2, text, bytes);
}

TRANSPORT(.gather = wrong_gather);
