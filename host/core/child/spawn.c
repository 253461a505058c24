#include "child.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char **environ;

enum {
  REQUEST_FD = 3,
  ANSWER_FD = 4,
  DATA_FD = 5,
  FIRST_FREE_FD = 6,
  CHUNK = 1 << 16,
  PORTION = 1 << 12
};

/* /proc/self/exe is usable only if this process is redhost: another program would run its own
 * main. */
static char *own_program(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  const char *slash = strrchr(path, '/');
  return slash && strcmp(slash + 1, "redhost") == 0 ? strdup(path) : NULL;
}

rh_status rh_child_program(const rh_options *options, char **program, rh_error *error) {
  if (options && options->program && *options->program)
    return rh_copy(program, options->program, "a path", error);
  char *library = rh_path_library_dir();
  char *beside = library ? rh_path_join(library, "../bin/redhost") : NULL;
  *program = beside ? realpath(beside, NULL) : NULL;
  if (!*program) *program = own_program();
  rh_status status = RH_OK;
  if (!*program)
    status = rh_fail(error, RH_E_PLUGIN, "no redhost program to examine plugins with: none at %s",
                     beside ? beside : "../bin/redhost");
  free(beside);
  free(library);
  return status;
}

/* Moves it above the descriptors that have a meaning in the child, so that no dup2 overwrites
 * another's source. */
static int move_up(int fd) {
  if (fd < 0) return -1;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
  int code = errno;
  close(fd);
  errno = code;
  return moved;
}

/* An unnamed file, which has a known length; or a pipe if a limit on file size forbids it. */
static int hold_request(const void *request, size_t bytes) {
  int ends[2], fd = move_up(memfd_create("redhost-request", MFD_CLOEXEC));
  if (fd >= 0 && rh_write_all(fd, request, bytes, RH_BYTES_HERE) == 0) return fd;
  int code = errno;
  if (fd >= 0) close(fd);
  errno = code;
  if (code != EFBIG || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  /* The pipe must hold the whole request, because the child does not run yet. */
  if (bytes > 65536) fcntl(ends[1], F_SETPIPE_SZ, (int)bytes);
  fd = rh_write_all(ends[1], request, bytes, RH_BYTES_HERE) == 0 ? move_up(ends[0]) : -1;
  code = errno;
  if (fd < 0) close(ends[0]);
  close(ends[1]);
  errno = code;
  return fd;
}

/* The descriptors for the child; -1 for none. */
typedef struct descriptors {
  int request, answer, data, output;
} descriptors;

static int add_actions(posix_spawn_file_actions_t *actions, const descriptors *fds) {
  int code = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  if (!code && fds->output < 0)
    code = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
  else if (!code) code = posix_spawn_file_actions_adddup2(actions, fds->output, 1);
  if (!code) code = posix_spawn_file_actions_adddup2(actions, 1, 2);
  if (!code) code = posix_spawn_file_actions_adddup2(actions, fds->request, REQUEST_FD);
  if (!code) code = posix_spawn_file_actions_adddup2(actions, fds->answer, ANSWER_FD);
  if (!code && fds->data >= 0) code = posix_spawn_file_actions_adddup2(actions, fds->data, DATA_FD);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  if (!code)
    code =
        posix_spawn_file_actions_addclosefrom_np(actions, fds->data < 0 ? DATA_FD : FIRST_FREE_FD);
#endif
  return code;
}

static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  int code = posix_spawnattr_setflags(attributes, flags);
  if (!code) code = posix_spawnattr_setpgroup(attributes, 0);
  if (!code) code = posix_spawnattr_setsigmask(attributes, &none);
  if (!code) code = posix_spawnattr_setsigdefault(attributes, &all);
  return code;
}

/* Variables by which a process of a parallel job knows its place there.  A child is not a part of
 * the job, and would join it, or wait for it, if it opened the job's library. */
static int is_of_job(const char *variable) {
  static const char *const prefixes[] = {"OMPI_",
                                         "PMI_",
                                         "PMIX_",
                                         "PRTE_",
                                         "HYDI_",
                                         "HYDRA",
                                         "MPI_LOCALNRANKS",
                                         "MPI_LOCALRANKID",
                                         "REDHOST_LOCAL_RANK="};
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
    if (strncmp(variable, prefixes[k], strlen(prefixes[k])) == 0) return 1;
  return 0;
}

const char **rh_child_environment(const char *variable) {
  size_t n = 0, kept = 0, name = variable ? strcspn(variable, "=") + 1 : 0;
  while (environ[n]) n++;
  const char **changed = calloc(n + 2, sizeof *changed);
  if (!changed) return NULL;
  for (size_t k = 0; k < n; k++)
    if (!is_of_job(environ[k]) && !(variable && strncmp(environ[k], variable, name) == 0))
      changed[kept++] = environ[k];
  changed[kept] = variable;
  return changed;
}

static int spawn(pid_t *pid, const rh_child_spec *spec, const descriptors *fds) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  const char *const own[] = {"redhost", spec->role, NULL}, *const *argv = own;
  const char **cleaned = spec->environment ? NULL : rh_child_environment(NULL);
  const char *const *given = spec->environment ? spec->environment : cleaned;
  char *const *arguments, *const *environment;
  if (!spec->role) argv = spec->argv;
  /* POSIX guarantees that the strings are not modified; the type predates const. */
  memcpy(&arguments, &argv, sizeof arguments);
  memcpy(&environment, &given, sizeof environment);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int code = given ? add_actions(&actions, fds) : ENOMEM;
  if (!code) code = set_attributes(&attributes);
  if (!code) code = posix_spawn(pid, spec->program, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free(cleaned);
  return code;
}

/* Copies it above the descriptors that have a meaning in the child. */
static int copy_up(int fd) { return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD); }

static void close_all(const descriptors *fds) {
  const int all[] = {fds->request, fds->answer, fds->data, fds->output};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (all[k] >= 0) close(all[k]);
}

/* A pipe for the child's output. 0, or -1. */
static int open_output(descriptors *fds, rh_child *child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  child->output = ends[0];
  fds->output = move_up(ends[1]);
  return fds->output < 0 ? -1 : fcntl(child->output, F_SETFL, O_NONBLOCK);
}

/* 0, or an errno. */
static int open_descriptors(descriptors *fds, rh_child *child, const rh_child_spec *spec) {
  int ends[2];
  *fds = (descriptors){-1, -1, -1, -1};
  fds->request = hold_request(spec->request, spec->bytes);
  if (fds->request < 0) return errno;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  child->fd = ends[0];
  fds->answer = move_up(ends[1]);
  if (fds->answer < 0) return errno;
  if (spec->data >= 0 && (fds->data = copy_up(spec->data)) < 0) return errno;
  if (spec->output >= 0 && (fds->output = copy_up(spec->output)) < 0) return errno;
  if (spec->printed && open_output(fds, child) != 0) return errno;
  return 0;
}

rh_status rh_child_start(rh_child *child, const rh_child_spec *spec, rh_error *error) {
  descriptors fds;
  memset(child, 0, sizeof *child);
  if (spec->stranger && rh_is_privileged())
    return rh_fail(error, RH_E_PLUGIN,
                   "%s: is not started, because redhost runs with raised privileges",
                   spec->program);
  child->most = UINT64_MAX;
  child->fd = child->output = -1;
  child->printed = spec->printed;
  child->stranger = spec->stranger;
  int code = open_descriptors(&fds, child, spec);
  if (code == 0) code = spawn(&child->pid, spec, &fds);
  close_all(&fds);
  if (code == 0) return RH_OK;
  if (child->fd >= 0) close(child->fd);
  if (child->output >= 0) close(child->output);
  memset(child, 0, sizeof *child);
  rh_text limits = {0};
  rh_limits_add(&limits);
  rh_fail(error, RH_E_PLUGIN, "%s: cannot be started: %s%s", spec->program, strerror(code),
          rh_text_get(&limits));
  rh_text_finish(&limits);
  return RH_E_PLUGIN;
}

void rh_printed_quote(const rh_printed *printed, char *to, size_t bytes) {
  size_t length = strcspn(printed->begin, "\n");
  to[0] = 0;
  if (!length) return;
  snprintf(to, bytes, "; it printed '%.*s%s'", (int)length, printed->begin,
           printed->bytes > length + 1 ? "..." : "");
  rh_make_plain(to);
}

/* Returns a line that has already been received. */
static int take_line(rh_child *child, const char **line, size_t *length) {
  if (child->scanned == child->used) return 0;
  char *end = memchr(child->buffer + child->scanned, '\n', child->used - child->scanned);
  if (!end) {
    child->scanned = child->used;
    return 0;
  }
  *end = 0;
  *line = child->buffer + child->taken;
  *length = (size_t)(end - *line);
  child->taken = child->scanned = (size_t)(end - child->buffer) + 1;
  return 1;
}

static int make_room(rh_child *child) {
  if (child->taken) {
    memmove(child->buffer, child->buffer + child->taken, child->used - child->taken);
    child->used -= child->taken;
    child->scanned -= child->taken;
    child->taken = 0;
  }
  if (child->capacity - child->used >= CHUNK) return 1;
  size_t capacity = child->capacity ? 2 * child->capacity : 2 * CHUNK;
  char *grown = realloc(child->buffer, capacity);
  if (!grown) return 0;
  child->buffer = grown;
  child->capacity = capacity;
  return 1;
}

typedef enum life { LIVES, ZOMBIE, GONE } life;

/* The child may be dead even if a process that it started keeps the channel open.  GONE: another
 * part of the program reaped it, or SIGCHLD is ignored. */
static life life_of(const rh_child *child) {
  siginfo_t info = {0};
  int result = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
  if (result != 0) return errno == ECHILD ? GONE : LIVES;
  return info.si_pid != 0 ? ZOMBIE : LIVES;
}

/* Reads one portion of the available output, so that a flood cannot block the caller. */
static void drain(rh_child *child) {
  char bytes[PORTION]; /* the stack may be small */
  rh_printed *printed = child->printed;
  ssize_t got = child->output < 0 ? -1 : read(child->output, bytes, sizeof bytes);
  if (got > 0) {
    uint64_t most = sizeof printed->begin - 1;
    if (printed->bytes < most) {
      uint64_t room = most - printed->bytes, taken = (uint64_t)got < room ? (uint64_t)got : room;
      memcpy(printed->begin + printed->bytes, bytes, taken);
      printed->begin[printed->bytes + taken] = 0;
    }
    printed->bytes += (uint64_t)got;
  } else if (got == 0) {
    close(child->output);
    child->output = -1; /* or poll() would report its end repeatedly */
  }
}

/* Waits until something can be read. 0: the deadline has passed, or the child is dead and its
 * channel empty. */
static int wait_for_bytes(rh_child *child, double deadline, int *dead) {
  *dead = 0;
  for (;;) {
    struct pollfd fds[2] = {{child->fd, POLLIN, 0}, {child->output, POLLIN, 0}};
    double left = deadline - rh_now();
    int slice = left > 0.05 ? 50 : left > 0 ? (int)(left * 1000) + 1 : 0;
    int ready = poll(fds, 2, *dead ? 0 : slice);
    if (ready > 0 && fds[1].revents) drain(child);
    if (ready > 0 && fds[0].revents) return 1;
    if (ready < 0 && errno != EINTR) *dead = 1;
    if (*dead || left <= 0) return 0;
    /* Polls once more after its death, because its last output may have arrived since. */
    *dead = life_of(child) != LIVES;
  }
}

rh_line rh_child_read(rh_child *child, double deadline, const char **line, size_t *length) {
  int dead;
  while (!take_line(child, line, length)) {
    if (child->ended) return RH_LINE_END;
    if (child->received > child->most || !make_room(child)) return RH_LINE_FLOOD;
    if (!wait_for_bytes(child, deadline, &dead)) {
      child->ended = dead;
      return dead ? RH_LINE_END : RH_LINE_LATE;
    }
    ssize_t got = read(child->fd, child->buffer + child->used, CHUNK);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      child->ended = 1;
      continue;
    }
    child->used += (size_t)got;
    child->received += (uint64_t)got;
  }
  return RH_LINE_READ;
}

/* send() avoids SIGPIPE if the child has ended; if send() is denied, write() is used. */
int rh_child_tell(const rh_child *child, const char *line) {
  size_t length = strlen(line);
  ssize_t sent = send(child->fd, line, length, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS))
    sent = write(child->fd, line, length);
  return sent == (ssize_t)length ? 0 : -1;
}

static void wait_for_end(rh_child *child, double seconds) {
  double deadline = rh_now() + seconds;
  struct timespec nap = {0, 100000};
  while (life_of(child) == LIVES && rh_now() < deadline) {
    drain(child);
    nanosleep(&nap, NULL);
    if (nap.tv_nsec < 5000000) nap.tv_nsec *= 2;
  }
}

/* Its status, or -1.  A killed process ends at once unless its driver blocks in the kernel, which
 * is not waited for. */
static int reap(rh_child *child) {
  int status = -1;
  wait_for_end(child, RH_CHILD_KILLED_S);
  return waitpid(child->pid, &status, WNOHANG) == child->pid ? status : -1;
}

int rh_child_finish(rh_child *child, double grace) {
  int status = -1;
  if (child->pid <= 0) return -1;
  wait_for_end(child, grace);
  /* Its guard also kills processes outside the group. */
  if (!child->stranger && life_of(child) == LIVES && kill(child->pid, SIGTERM) == 0)
    wait_for_end(child, RH_CHILD_CLOSED_S);
  /* The group is killed before reaping, after which the process id may be reused. */
  if (life_of(child) != GONE) {
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* it may have left its group */
  }
  status = reap(child);
  drain(child); /* at most one pipe's capacity */
  if (child->output >= 0) close(child->output);
  close(child->fd);
  free(child->buffer);
  memset(child, 0, sizeof *child);
  return status;
}
