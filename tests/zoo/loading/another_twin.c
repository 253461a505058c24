/* ... and this one comes first in byte order, but is not named after it. */
#include "zoo.h"

ZOO_STRATEGY(another_twin, "twin", zoo_query);
ZOO_PLUGIN;
