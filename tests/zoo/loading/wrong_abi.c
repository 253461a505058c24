/* V16: has another major version of the ABI under this one's symbol. */
#include "zoo.h"

ZOO(wrong_abi, .abi_major = 3);
