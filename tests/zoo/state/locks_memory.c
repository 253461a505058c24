/* V58: locks a page into memory in setup. */
#include "state.h"
#include <sys/mman.h>

IN_SETUP("locks_memory", "locks a page into memory in setup") {
  static char page[8192];
  mlock(page, 4096);
}
