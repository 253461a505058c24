/* V13: sets an environment variable when it is loaded. */
#include "zoo.h"
#include <stdlib.h>

ZOO_STRATEGY(sets_variable, "sets_variable", zoo_query);
ZOO_PLUGIN(sets_variable);

ZOO_ON_LOAD {
  setenv("ZOO_WAS_HERE", "1", 1);
}
