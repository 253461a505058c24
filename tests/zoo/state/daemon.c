/* V58: leaves a daemon behind in the first setup: two forks and setsid(). */
#include "state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long fork_raw(void) {
  return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

IN_SETUP("daemon", "leaves a daemon behind in the first setup") {
  static int has_forked;
  if (has_forked) return;
  has_forked = 1;
  long child = fork_raw();
  if (child) {
    waitpid((pid_t)child, NULL, 0);
    return;
  }
  setsid();
  if (fork_raw() != 0) _exit(0);
  alarm(60);
  for (;;) pause();
}
