/* V58: locks all future memory in setup. */
#include "state.h"
#include <sys/mman.h>

IN_SETUP("locks_future", "locks all future memory in setup") {
  mlockall(MCL_FUTURE);
}
