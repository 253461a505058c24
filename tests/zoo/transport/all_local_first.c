/* V74: every rank believes to be the first of its host, so all take one device. */
#include "right.h"

OPEN {
  int32_t result = open_job(self, place, text, bytes);
  place->local_rank = 0;
  return result;
}

TRANSPORT(.open = wrong_open);
