/* V16: requires a later minor version of the ABI. */
#include "zoo.h"

ZOO(needs_newer_host, .abi_minor = 205, .min_host_minor = 200);
