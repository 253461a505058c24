/* V71: probe works the first time, and not again. */
#include "right.h"

PROBE {
  static int asked;
  snprintf(text, bytes, "TCP");
  return asked++ ? RH_TRANSPORT_CANNOT : RH_TRANSPORT_CAN;
}

TRANSPORT(.probe = wrong_probe);
