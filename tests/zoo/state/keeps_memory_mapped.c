/* V58: maps memory in the first setup and leaves it mapped. */
#include "state.h"
#include <sys/mman.h>

IN_SETUP("keeps_memory_mapped", "maps memory in the first setup and leaves it mapped") {
  static void *mapped;
  if (!mapped)
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
