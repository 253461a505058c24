/* V70: a function is missing. */
#include "right.h"

TRANSPORT(.abort = NULL);
