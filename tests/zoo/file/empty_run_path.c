/* V08: an empty element of the run path, which means the current directory. */
#include "../right.h"

RIGHT_BUT(empty_run_path, .summary = "has the run path /usr/lib:");

RH_PLUGIN(&strategy_empty_run_path);
