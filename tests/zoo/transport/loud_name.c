/* V70: a name with characters that none may have. */
#include "right.h"

TRANSPORT(.name = "My Net!");
