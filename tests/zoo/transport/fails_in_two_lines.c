/* V80: says in two lines why a gather failed. */
#include "right.h"

GATHER {
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  if (result != 0) snprintf(text, bytes, "a rank has ended\nsorry");
  return result;
}

TRANSPORT(.gather = wrong_gather);
