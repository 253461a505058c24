/* V58: leaves a child process behind in the first setup, by a raw system call. */
#include "state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static long fork_raw(void) {
  return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

IN_SETUP("forks", "leaves a child process behind in the first setup") {
  static int has_forked;
  if (has_forked || fork_raw() != 0) {
    has_forked = 1;
    return;
  }
  alarm(60);
  for (;;) pause();
}
