/* V20: promises the canonical order, and bits that are the same with one device only. */
#include "../right.h"

RIGHT_BUT(canonical_that_varies, .summary = "promises what it takes back",
          .promises = RH_CANONICAL_ORDER, .determinism = RH_BITS_SAME_LAUNCH);

RH_PLUGIN(&strategy_canonical_that_varies);
