#include "../right.h"

RIGHT_BUT(right, .summary = "nothing is wrong with it");

RH_PLUGIN(&strategy_right);
