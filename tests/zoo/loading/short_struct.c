/* V16: a descriptor that is shorter than in ABI 1.0. */
#include "zoo.h"

ZOO_STRATEGY(short_struct, "short_struct", zoo_query);
ZOO_PLUGIN_BUT(short_struct, .struct_size = 8);
