/* V83: gather changes how the rank rounds, and with it every sum. */
#include "right.h"

#include <fenv.h>

GATHER {
  fesetround(FE_TOWARDZERO);
  return gather(self, mine, n, all, seconds, text, bytes);
}

TRANSPORT(.gather = wrong_gather);
