/* V15: is declared unloadable, but linked with -z nodelete. */
#include "zoo.h"

ZOO(stays_mapped, .flags = RH_PLUGIN_UNLOADABLE);
