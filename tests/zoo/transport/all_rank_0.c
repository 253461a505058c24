/* V74: every rank is rank 0. */
#include "right.h"

OPEN {
  int32_t result = open_job(self, place, text, bytes);
  place->rank = place->local_rank = 0;
  return result;
}

TRANSPORT(.open = wrong_open);
