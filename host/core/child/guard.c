/* The child's side: the guard, a process between a child and its parent that kills everything that
 * the child leaves behind, and the channel. */
#include "child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ALIVE = -1, REQUEST_FD = 3, ANSWER_FD = 4, DATA_FD = 5 };

/* Reaps ended processes.  Orphaned descendants have become children of this process. */
static void reap(pid_t work, int *status) {
  int ended;
  for (pid_t pid; (pid = waitpid(-1, &ended, WNOHANG)) > 0;)
    if (pid == work) *status = ended;
}

/* The children of a killed process become children of this one, so this is repeated until there
 * are none. */
static void end_all(pid_t work, int *status) {
  struct timespec nap = {0, 1000000};
  if (*status == ALIVE) kill(work, SIGKILL);
  for (reap(work, status); rh_children_signal(SIGKILL) > 0; reap(work, status))
    nanosleep(&nap, NULL);
  while (*status == ALIVE && waitpid(work, status, 0) < 0 && errno == EINTR) {}
}

/* Ends with the status of the work process. */
static void end_like(int status) {
  sigset_t one;
  if (status == ALIVE) _exit(3);
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  sigemptyset(&one);
  sigaddset(&one, WTERMSIG(status));
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  signal(WTERMSIG(status), SIG_DFL); /* in case this process ignores it */
  raise(WTERMSIG(status));
  _exit(3);
}

static void watch(pid_t work, pid_t parent, const sigset_t *awaited) {
  int status = ALIVE, stopped = 0;
  siginfo_t info;
  /* The guard's copies of the descriptors would keep the channel open after the work has ended. */
  for (int fd = 0; fd < 64; fd++) close(fd);
  while (status == ALIVE && !stopped && getppid() == parent) {
    int number = sigwaitinfo(awaited, &info);
    /* Ignores signals that a plugin sends to its whole process group. */
    stopped = number == SIGTERM && info.si_pid == parent;
    reap(work, &status);
  }
  end_all(work, &status);
  end_like(status);
}

/* Splits the calling process in two.  The process that returns, with 0, does the work, and ends
 * when the other does.  The other, the guard, keeps the process id and stays until the work is
 * done, `parent` stops it by SIGTERM, or `parent` is gone for any reason.  Then the guard kills
 * everything that the work started, in any group or session, and ends with the same status as the
 * work.  -1: `parent` is already gone.  If no process can be created, the work continues unguarded.
 * This is the only fork in redhost. */
static int guard_children(int64_t parent) {
  sigset_t awaited, before;
  pid_t guard = getpid();
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &awaited, &before) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 ||
      prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || getppid() != (pid_t)parent)
    return -1;
  pid_t work = fork();
  if (work == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != guard) _exit(3);
    return sigprocmask(SIG_SETMASK, &before, NULL);
  }
  if (work > 0) watch(work, (pid_t)parent, &awaited);
  /* No further process can be created, so the work is unguarded, but still ends with its parent. */
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != (pid_t)parent) return -1;
  return sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- The channel ---- */

/* Close-on-exec, so that programs started by a plugin do not inherit it. */
static int hide(int from) {
  int fd = fcntl(from, F_DUPFD_CLOEXEC, 100);
  if (fd < 0) fd = fcntl(from, F_DUPFD_CLOEXEC, DATA_FD + 1);
  if (fd >= 0) close(from);
  return fd;
}

int rh_channel_open(int64_t parent) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (guard_children(parent) != 0) return -1;
  close(REQUEST_FD);
  return hide(ANSWER_FD);
}

int rh_channel_data(void) { return hide(DATA_FD); }

int rh_channel_say(int channel, json_t *frame) {
  RH_FREED(char) text = frame ? json_dumps(frame, JSON_COMPACT) : NULL;
  json_decref(frame);
  if (!text) return -1;
  size_t length = strlen(text);
  text[length++] = '\n'; /* overwrites the terminating 0, which is not needed here */
  return rh_write_all(channel, text, length, RH_BYTES_HERE);
}

int rh_channel_hear(int channel, char *line, size_t bytes) {
  for (size_t k = 0; k < bytes;) {
    /* byte by byte, since lines are rare and nothing may be read ahead */
    ssize_t got = read(channel, line + k, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    if (line[k++] != '\n') continue;
    line[k - 1] = 0;
    return 0;
  }
  return -1;
}
