/* Nothing is wrong: the measure of the others. */
#include "zoo.h"

ZOO_STRATEGY(fine, "fine", zoo_query);
ZOO_PLUGIN(fine);
