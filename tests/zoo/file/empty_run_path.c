/* V08: an empty element of a run path is the directory one is in. */
#include "../right.h"

RIGHT_BUT("empty_run_path", .summary = "has the run path /usr/lib:");
