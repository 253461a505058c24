/* V58: lowers the process's priority in teardown. */
#include "state.h"
#include <unistd.h>

IN_TEARDOWN("lowers_priority", "lowers the process's priority in teardown") {
  if (nice(1) == -1) return;
}
