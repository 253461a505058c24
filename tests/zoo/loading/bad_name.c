/* A name that could not be typed or would be taken for something else. */
#include "zoo.h"

ZOO_STRATEGY(bad_name, "Bad Name", zoo_query);
ZOO_PLUGIN(bad_name);
