/* V17: two strategies with the same name in one plugin. */
#include "zoo.h"

ZOO_STRATEGY(one, "same", zoo_query);
ZOO_STRATEGY(two, "same", zoo_query);

ZOO_PLUGIN;
