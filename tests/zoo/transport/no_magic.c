/* V70: the magic is missing, as from a file of another program. */
#include "right.h"

TRANSPORT(.magic = 0);
