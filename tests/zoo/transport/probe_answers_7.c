/* V71: probe returns something that is not an answer. */
#include "right.h"

PROBE {
  probe(text, bytes);
  return 7;
}

TRANSPORT(.probe = wrong_probe);
