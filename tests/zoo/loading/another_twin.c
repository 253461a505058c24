/* ... and this one comes first by bytes, but does not bear it. */
#include "zoo.h"

ZOO_STRATEGY(another_twin, "twin", zoo_query);
ZOO_PLUGIN(another_twin);
