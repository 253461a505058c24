/* V75: uses the caller's constant part as its own memory. */
#include "right.h"

GATHER {
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  char *own;
  memcpy(&own, &mine, sizeof own);
  own[n - 1] ^= 1;
  return result;
}

TRANSPORT(.gather = wrong_gather);
