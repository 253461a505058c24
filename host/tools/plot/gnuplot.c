#include "gnuplot.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/path.h"
#include "../../core/base/text.h"
#include "../../core/child/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int is_program(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Ignores empty elements of PATH, which mean the current directory to a shell. */
char *rh_gnuplot_find(void) {
  const char *from = rh_env("PATH");
  while (from && *from) {
    size_t length = strcspn(from, ":");
    char *directory = strndup(from, length);
    char *path = directory && *directory ? rh_path_join(directory, "gnuplot") : NULL;
    free(directory);
    if (path && is_program(path)) return path;
    free(path);
    from += length + (from[length] == ':');
  }
  return NULL;
}

/* Is a blocked signal pending? */
static int interrupted(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
          sigismember(&pending, SIGHUP));
}

/* Waits until the child ends, but leaves it to rh_child_finish() to reap it. */
static rh_status wait_for(const rh_child *child, double limit_s, rh_error *error) {
  double deadline = rh_now() + limit_s;
  struct timespec nap = {0, 2000000};
  for (;;) {
    siginfo_t info = {0};
    int code = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    if (code != 0 && errno != EINTR)
      return rh_fail(error, RH_E_FILE, "gnuplot: %s", strerror(errno));
    if (code == 0 && info.si_pid != 0) return RH_OK;
    if (interrupted()) return rh_fail(error, RH_E_CANCELLED, "interrupted");
    if (rh_now() > deadline)
      return rh_fail(error, RH_E_FILE, "gnuplot took longer than %.0f s and was killed", limit_s);
    nanosleep(&nap, NULL);
  }
}

/* The first line with the message itself: gnuplot precedes it by lines that show the location
 * and end in "^". */
static void first_line(int output, char *line, size_t size) {
  char text[4096];
  ssize_t got = pread(output, text, sizeof text - 1, 0);
  text[got > 0 ? got : 0] = 0;
  const char *from = text, *caret = strstr(text, "^\n");
  if (caret) from = caret + 2;
  from += strspn(from, " \n\t\r");
  size_t length = strcspn(from, "\n\r");
  while (length && strchr(" .", from[length - 1])) length--;
  snprintf(line, size, "%.*s", (int)length, from);
}

static rh_status judge_exit(int status, const char *said, rh_error *error) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return RH_OK;
  if (*said) return rh_fail(error, RH_E_FILE, "gnuplot failed: %s", said);
  if (WIFSIGNALED(status))
    return rh_fail(error, RH_E_FILE, "gnuplot failed: signal %d", WTERMSIG(status));
  return rh_fail(error, RH_E_FILE, "gnuplot failed: exit status %d", WEXITSTATUS(status));
}

rh_status rh_gnuplot_run(const char *const *argv, double limit_s, char *said, size_t size,
                         rh_error *error) {
  rh_child child;
  int output = memfd_create("redhost-gnuplot", MFD_CLOEXEC);
  if (output < 0) return rh_fail(error, RH_E_FILE, "gnuplot: %s", strerror(errno));
  /* Without a UTF-8 locale, gnuplot cannot show most names. */
  const char **environment = rh_child_environment("LC_ALL=C.UTF-8");
  rh_child_spec spec = {.program = argv[0],
                        .stranger = 1,
                        .argv = argv,
                        .request = "",
                        .data = -1,
                        .output = output,
                        .environment = environment};
  rh_status status = rh_child_start(&child, &spec, NULL);
  free(environment);
  if (status != RH_OK) {
    close(output);
    return rh_fail(error, RH_E_FILE, "%s cannot be started", argv[0]);
  }
  status = wait_for(&child, limit_s, error);
  int ended = rh_child_finish(&child, 0);
  first_line(output, said, size);
  close(output);
  return status == RH_OK ? judge_exit(ended, said, error) : status;
}
