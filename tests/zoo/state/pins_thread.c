/* V58: pins the caller's thread to one CPU in run, and does not undo it. */
#include "state.h"
#include <sched.h>

IN_RUN("pins_thread", "pins the caller's thread to one CPU in run") {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}
