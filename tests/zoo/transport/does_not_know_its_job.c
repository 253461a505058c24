/* V74: probe does not see that a launcher started the process. */
#include "right.h"

PROBE {
  probe(text, bytes);
  return RH_TRANSPORT_CAN;
}

TRANSPORT(.probe = wrong_probe);
