/* V81: abort waits for the others to end first. */
#include "right.h"

ABORT {
  (void)self;
  (void)exit_status;
  (void)sentence;
  for (;;) pause();
}

TRANSPORT(.abort = wrong_abort);
