/* V58: makes the process undumpable in setup. */
#include "state.h"
#include <sys/prctl.h>

IN_SETUP("not_dumpable", "makes the process undumpable in setup") {
  prctl(PR_SET_DUMPABLE, 0);
}
