/* V58: starts a process in teardown and does not wait for it. */
#include "state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static long fork_raw(void) {
  return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

IN_TEARDOWN("zombie", "starts a process in teardown and does not wait for it") {
  if (fork_raw() == 0) _exit(0);
}
