/* V71: probe says no, and not why. */
#include "right.h"

PROBE {
  (void)text;
  (void)bytes;
  return RH_TRANSPORT_CANNOT;
}

TRANSPORT(.probe = wrong_probe);
