/* Two files offer the name "twin"; this one is named after it. */
#include "zoo.h"

ZOO(twin);
