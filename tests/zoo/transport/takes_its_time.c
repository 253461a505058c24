/* V79: gives up long after the time that it was told. */
#include "right.h"

GATHER {
  return gather(self, mine, n, all, seconds + 4, text, bytes);
}

TRANSPORT(.gather = wrong_gather);
