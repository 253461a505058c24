/* V17: a name that is hard to type or ambiguous on the command line. */
#include "zoo.h"

ZOO_STRATEGY(bad_name, "Bad Name", zoo_query);
ZOO_PLUGIN;
