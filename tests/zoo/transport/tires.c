/* V76: its buffer of a hundred messages wraps around wrongly. */
#include "right.h"

GATHER {
  static int times;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  if (++times % 100 == 0) *(char *)all ^= 1;
  return result;
}

TRANSPORT(.gather = wrong_gather);
