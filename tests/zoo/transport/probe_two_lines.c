/* V71: probe writes two lines. */
#include "right.h"

PROBE {
  snprintf(text, bytes, "TCP\nof version 4");
  return RH_TRANSPORT_CAN;
}

TRANSPORT(.probe = wrong_probe);
