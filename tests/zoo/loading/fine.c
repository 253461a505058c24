/* Correct, for comparison with the others. */
#include "zoo.h"

ZOO(fine);
