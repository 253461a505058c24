/* V58: blocks a signal by a raw system call in run. */
#include "state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

IN_RUN("blocks_in_run", "blocks a signal by a raw system call in run") {
  const uint64_t mask = (uint64_t)1 << (SIGTERM - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 8);
}
