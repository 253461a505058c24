/* V58: starts an interval timer in run. */
#include "state.h"
#include <sys/time.h>

IN_RUN("interval_timer", "starts an interval timer in run") {
  const struct itimerval long_from_now = {.it_value = {.tv_sec = 1000}};
  setitimer(ITIMER_PROF, &long_from_now, NULL);
}
