/* V16: has another major version of the ABI under this one's symbol. */
#include "zoo.h"

ZOO_STRATEGY(wrong_abi, "wrong_abi", zoo_query);
ZOO_PLUGIN_BUT(wrong_abi, .abi_major = 3);
