/* V58: every run maps memory by a raw system call and leaks it. */
#include "state.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

IN_RUN("memory_per_run_raw", "every run maps memory by a raw system call and forgets ") {
  syscall(SYS_mmap, NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
