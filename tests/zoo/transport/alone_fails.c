/* V73: probe offers a job of one rank, and open refuses it. */
#include "right.h"

OPEN {
  if (!getenv("TRANSPORT_RANK")) return fail(text, bytes, "start it with run-example");
  return open_job(self, place, text, bytes);
}

TRANSPORT(.open = wrong_open);
