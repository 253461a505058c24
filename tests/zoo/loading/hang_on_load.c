/* A constructor that never returns. */
#include "zoo.h"

ZOO_STRATEGY(hang_on_load, "hang_on_load", zoo_query);
ZOO_PLUGIN(hang_on_load);

ZOO_ON_LOAD {
  volatile int for_ever = 1;
  while (for_ever) {}
}
