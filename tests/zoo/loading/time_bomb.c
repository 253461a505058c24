/* Ends the process a moment after it was examined, during the examination of another plugin. */
#include "zoo.h"
#include <sys/time.h>

ZOO_STRATEGY(time_bomb, "time_bomb", zoo_query);
ZOO_PLUGIN(time_bomb);

ZOO_ON_LOAD {
  const struct itimerval soon = {.it_value = {.tv_usec = 100000}};
  setitimer(ITIMER_REAL, &soon, NULL);
}
