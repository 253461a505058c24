/* V58: has all memory that comes locked from setup on. */
#include "state.h"
#include <sys/mman.h>

IN_SETUP("locks_future", "has all memory that comes locked from setup on") {
  mlockall(MCL_FUTURE);
}
