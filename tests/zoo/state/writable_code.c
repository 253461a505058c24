/* V58: maps memory that is writable and executable in the first setup. */
#include "state.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

IN_SETUP("writable_code", "maps memory that is writable and executable in the firs") {
  static int is_mapped;
  const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (!is_mapped) syscall(SYS_mmap, NULL, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  is_mapped = 1;
}
