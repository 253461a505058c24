/* V08: searches for libraries in a directory that everybody can write to. */
#include "../right.h"

RIGHT_BUT(writable_run_path, .summary = "has the run path /tmp");

RH_PLUGIN(&strategy_writable_run_path);
