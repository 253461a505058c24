/* V75: only the first 4096 bytes of a part arrive. */
#include "right.h"

GATHER {
  const job *j = self;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  for (uint32_t r = 0; r < j->size && n > 4096; r++)
    memset((char *)all + (size_t)r * n + 4096, 0, n - 4096);
  return result;
}

TRANSPORT(.gather = wrong_gather);
