/* V58: makes the process nicer in teardown. */
#include "state.h"
#include <unistd.h>

IN_TEARDOWN("lowers_priority", "makes the process nicer in teardown") {
  if (nice(1) == -1) return;
}
