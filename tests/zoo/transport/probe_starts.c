/* V72: probe opens a connection and keeps it. */
#include "right.h"

PROBE {
  if (socket(AF_INET, SOCK_STREAM, 0) < 0) return RH_TRANSPORT_CANNOT;
  return probe(text, bytes);
}

TRANSPORT(.probe = wrong_probe);
