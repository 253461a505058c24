/* V15: is declared unloadable, but linked with -z nodelete. */
#include "zoo.h"

ZOO_STRATEGY(stays_mapped, "stays_mapped", zoo_query);
ZOO_PLUGIN_BUT(stays_mapped, .flags = RH_PLUGIN_UNLOADABLE);
