/* Two files offer the name "twin"; this one is named after it. */
#include "zoo.h"

ZOO_STRATEGY(twin, "twin", zoo_query);
ZOO_PLUGIN(twin);
