/* V72: probe leaves a variable for a library that it opens later. */
#include "right.h"

PROBE {
  setenv("ZOO_NET", "tcp", 1);
  return probe(text, bytes);
}

TRANSPORT(.probe = wrong_probe);
