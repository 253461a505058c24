/* V08: looks for libraries where everybody may put some. */
#include "../right.h"

RIGHT_BUT("writable_run_path", .summary = "has the run path /tmp");
