/* Slow to load; otherwise correct.  It must not be blamed for time_bomb. */
#include "zoo.h"
#include <time.h>

ZOO_STRATEGY(slow_to_load, "slow_to_load", zoo_query);
ZOO_PLUGIN(slow_to_load);

ZOO_ON_LOAD {
  const struct timespec a_while = {.tv_nsec = 300000000};
  nanosleep(&a_while, NULL);
}
