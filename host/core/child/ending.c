#include "child.h"

#include <signal.h>
#include <sys/wait.h>

void rh_ending_name(int status, const char *where, char *to, size_t bytes) {
  if (status != -1 && WIFSIGNALED(status))
    snprintf(to, bytes, "crashed %s (signal %d%s)", where, WTERMSIG(status),
             WTERMSIG(status) == SIGILL ? ", illegal instruction: built for another CPU?" : "");
  else if (status != -1 && WIFEXITED(status))
    snprintf(to, bytes, "ended the process with exit status %d %s", WEXITSTATUS(status), where);
  else snprintf(to, bytes, "ended the process %s", where);
}

int rh_ending_name_done(int status, char *to, size_t bytes) {
  if (status == 0 || status == -1) return 0;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    snprintf(to, bytes, "did not end within %g s after its work was done", RH_CHILD_DONE_S);
  else rh_ending_name(status, "after its work was done", to, bytes);
  return 1;
}
