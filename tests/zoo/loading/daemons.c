/* A constructor that starts processes, two of them in their own sessions and one orphaned, and
 * never returns. */
#include "zoo.h"

#include <unistd.h>

ZOO_STRATEGY(daemons, "daemons", zoo_query);
ZOO_PLUGIN(daemons);

ZOO_ON_LOAD {
  volatile int for_ever = 1;
  for (int kind = 0; kind < 3; kind++) {
    if (fork() != 0) continue;
    if (kind > 0) setsid();
    if (kind > 1 && fork() != 0) _exit(0);
    while (for_ever) pause();
  }
  while (for_ever) pause();
}
