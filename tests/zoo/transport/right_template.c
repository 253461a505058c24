/* V70: nothing; it passes every test. */
#include "right.h"

TRANSPORT(.reserved = 0);
