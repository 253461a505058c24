/* Correct, for comparison with the others. */
#include "zoo.h"

ZOO_STRATEGY(fine, "fine", zoo_query);
ZOO_PLUGIN(fine);
