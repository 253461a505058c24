/* A constructor that creates a new process group, which a kill of the old one misses, and never
 * returns. */
#include "zoo.h"

#include <unistd.h>

ZOO_STRATEGY(leaves_group, "leaves_group", zoo_query);
ZOO_PLUGIN(leaves_group);

ZOO_ON_LOAD {
  volatile int for_ever = 1;
  setpgid(0, 0);
  while (for_ever) {}
}
