/* A constructor that ends the process with status 0. */
#include "zoo.h"
#include <stdlib.h>

ZOO_STRATEGY(exit_on_load, "exit_on_load", zoo_query);
ZOO_PLUGIN(exit_on_load);

ZOO_ON_LOAD {
  exit(0);
}
