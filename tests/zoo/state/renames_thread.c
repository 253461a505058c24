/* V58: renames the caller's thread in run. */
#include "state.h"
#include <sys/prctl.h>

IN_RUN("renames_thread", "renames the caller's thread in run") {
  prctl(PR_SET_NAME, "zoo");
}
