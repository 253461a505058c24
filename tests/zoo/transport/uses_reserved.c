/* V70: a reserved field has a value, which a later redhost would read. */
#include "right.h"

TRANSPORT(.reserved = 3);
