/* V78: does not say why a gather failed. */
#include "right.h"

GATHER {
  char unused[512];
  (void)text;
  (void)bytes;
  return gather(self, mine, n, all, seconds, unused, sizeof unused);
}

TRANSPORT(.gather = wrong_gather);
