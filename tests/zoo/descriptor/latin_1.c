/* V17: a string in Latin-1, not UTF-8. */
#include "../right.h"

RIGHT_BUT(latin_1, .summary = "a Latin-1 author", .author = "B\xe4r");

RH_PLUGIN(&strategy_latin_1);
