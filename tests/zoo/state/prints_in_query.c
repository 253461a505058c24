/* V13: prints to standard error in query. */
#include "state.h"
#include <stdio.h>

IN_QUERY(prints_in_query, "prints to standard error in query") { fputs("asked\n", stderr); }

RIGHT_PLUGIN;
