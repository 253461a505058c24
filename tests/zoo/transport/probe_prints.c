/* V72: probe prints what it finds, into every list. */
#include "right.h"

PROBE {
  int32_t answer = probe(text, bytes);
  fprintf(stderr, "zoo: %s\n", text);
  return answer;
}

TRANSPORT(.probe = wrong_probe);
