/* V70: a description of more than a line. */
#include "right.h"

TRANSPORT(
        .description =
            "a transport for clusters of every kind, over every network, with every library, which "
            "its author has described in more words than a table has room for");
