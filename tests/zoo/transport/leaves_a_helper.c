/* V82: a process that it starts outlives the job. */
#include "right.h"

#include <signal.h>

OPEN {
  int32_t result = open_job(self, place, text, bytes);
  if (result == 0 && place->rank == 0 && fork() == 0) {
    release(*self);
    setsid();
    sleep(60);
    _exit(0);
  }
  return result;
}

TRANSPORT(.open = wrong_open);
