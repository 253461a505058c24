/* V81: abort ends all ranks as if nothing were wrong. */
#include "right.h"

ABORT {
  (void)exit_status;
  abort_job(self, 0, sentence);
}

TRANSPORT(.abort = wrong_abort);
