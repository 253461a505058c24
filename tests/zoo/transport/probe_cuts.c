/* V71: probe fills its text without an end. */
#include "right.h"

PROBE {
  memset(text, 32, bytes);
  return RH_TRANSPORT_CAN;
}

TRANSPORT(.probe = wrong_probe);
