/* V08: searches for libraries in lib/ of the current directory. */
#include "../right.h"

RIGHT_BUT(relative_run_path, .summary = "has the run path lib");

RH_PLUGIN(&strategy_relative_run_path);
