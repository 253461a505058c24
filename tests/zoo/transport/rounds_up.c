/* V75: writes whole words, behind the last byte that it was given room for. */
#include "right.h"

GATHER {
  const job *j = self;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  size_t total = (size_t)j->size * n;
  memset((char *)all + total, 0, -total % 8);
  return result;
}

TRANSPORT(.gather = wrong_gather);
