/* V58: creates a timer in setup and never deletes it. */
#include "state.h"
#include <signal.h>
#include <time.h>

IN_SETUP("posix_timer", "creates a timer in setup and never deletes it") {
  timer_t timer;
  struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
  timer_create(CLOCK_MONOTONIC, &nothing, &timer);
}
