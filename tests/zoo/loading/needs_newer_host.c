/* V16: requires a later minor version of the ABI. */
#include "zoo.h"

ZOO_STRATEGY(needs_newer_host, "needs_newer_host", zoo_query);
ZOO_PLUGIN_BUT(needs_newer_host, .abi_minor = 205, .min_host_minor = 200);
