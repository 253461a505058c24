/* A constructor that aborts, like a static initialiser that throws. */
#include "zoo.h"
#include <stdlib.h>

ZOO_STRATEGY(abort_on_load, "abort_on_load", zoo_query);
ZOO_PLUGIN(abort_on_load);

ZOO_ON_LOAD {
  abort();
}
