/* Leaves a process behind that keeps every descriptor open, and then crashes. */
#include "zoo.h"
#include <unistd.h>

ZOO_STRATEGY(orphan, "orphan", zoo_query);
ZOO_PLUGIN(orphan);

ZOO_ON_LOAD {
  if (fork() == 0) {
    sleep(1000);
    _exit(0);
  }
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}
