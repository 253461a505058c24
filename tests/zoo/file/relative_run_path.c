/* V08: looks for libraries in lib/ of whatever directory one is in. */
#include "../right.h"

RIGHT_BUT("relative_run_path", .summary = "has the run path lib");
