/* V16: a descriptor that is shorter than in ABI 1.0. */
#include "zoo.h"

ZOO(short_struct, .struct_size = 8);
