/* V74: counts one rank more than there is. */
#include "right.h"

OPEN {
  int32_t result = open_job(self, place, text, bytes);
  place->size++;
  return result;
}

TRANSPORT(.open = wrong_open);
