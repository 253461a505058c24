/* V71: probe writes more than it was given room for. */
#include "right.h"

PROBE {
  memset(text, 32, bytes + 64);
  text[bytes + 63] = 0;
  return RH_TRANSPORT_CAN;
}

TRANSPORT(.probe = wrong_probe);
