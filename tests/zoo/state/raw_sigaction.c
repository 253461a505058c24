/* V58: ignores SIGINT by a raw system call in setup. */
#include "state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

IN_SETUP("raw_sigaction", "ignores SIGINT by a raw system call in setup") {
  const unsigned long action[8] = {(unsigned long)SIG_IGN};
  syscall(SYS_rt_sigaction, SIGINT, action, NULL, 8);
}
