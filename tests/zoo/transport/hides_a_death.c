/* V78: goes on without a rank that has ended, with zeros in its place. */
#include "right.h"

GATHER {
  const job *j = self;
  if (gather(self, mine, n, all, seconds, text, bytes) == 0) return 0;
  memset(all, 0, (size_t)j->size * n);
  return 0;
}

TRANSPORT(.gather = wrong_gather);
