/* A constructor that joins its parent's process group, where a kill of its own group misses it, and never returns. */
#include "zoo.h"

#include <unistd.h>

ZOO_STRATEGY(leaves_group, "leaves_group", zoo_query);
ZOO_PLUGIN(leaves_group);

ZOO_ON_LOAD {
  volatile int for_ever = 1;
  setpgid(0, getpgid(getppid()));
  while (for_ever) {}
}
