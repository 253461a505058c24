/* V79: waits without end for a rank that does not answer. */
#include "right.h"

GATHER {
  (void)seconds;
  return gather(self, mine, n, all, 1e6, text, bytes);
}

TRANSPORT(.gather = wrong_gather);
