/* V58: gives the caller's thread a name in run. */
#include "state.h"
#include <sys/prctl.h>

IN_RUN("renames_thread", "gives the caller's thread a name in run") {
  prctl(PR_SET_NAME, "zoo");
}
