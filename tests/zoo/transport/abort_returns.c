/* V81: abort closes its connections, and returns. */
#include "right.h"

ABORT {
  (void)exit_status;
  (void)sentence;
  close_job(self);
}

TRANSPORT(.abort = wrong_abort);
