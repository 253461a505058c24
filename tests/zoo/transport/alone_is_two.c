/* V73: a process without a job believes that it is one of two. */
#include "right.h"

OPEN {
  int32_t result = open_job(self, place, text, bytes);
  if (place->size == 1) place->size = 2;
  return result;
}

TRANSPORT(.open = wrong_open);
