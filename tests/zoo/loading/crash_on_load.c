/* A constructor that dereferences null. */
#include "zoo.h"

ZOO_STRATEGY(crash_on_load, "crash_on_load", zoo_query);
ZOO_PLUGIN(crash_on_load);

ZOO_ON_LOAD {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}
