#include "../right.h"

RIGHT_BUT(right, .summary = "nothing is wrong with it");

RIGHT_PLUGIN;
