/* V75: the parts come in another order than that of the ranks. */
#include "right.h"

GATHER {
  const job *j = self;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  char *last = (char *)all + (size_t)(j->size - 1) * n, kept[16];
  uint32_t part = n < sizeof kept ? n : sizeof kept;
  memcpy(kept, all, part);
  memcpy(all, last, part);
  memcpy(last, kept, part);
  return result;
}

TRANSPORT(.gather = wrong_gather);
