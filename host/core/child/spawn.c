#include "child.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>

extern char **environ;

enum { REQUEST_FD = 3, ANSWER_FD = 4, DATA_FD = 5, FIRST_FREE_FD = 6 };

/* /proc/self/exe is usable only if this process is redhost: another program would run its own
 * main. */
static char *own_program(void) {
  char *path = realpath("/proc/self/exe", NULL);
  if (path && strcmp(rh_path_name(path), "redhost") == 0) return path;
  free(path);
  return NULL;
}

rh_status rh_child_program(const rh_options *options, char **program, rh_error *error) {
  if (options && options->program && *options->program)
    return rh_copy(program, options->program, "a path", error);
  RH_FREED(char) library = rh_path_library_dir();
  RH_FREED(char) beside = library ? rh_path_join(library, "../bin/redhost") : NULL;
  *program = beside ? realpath(beside, NULL) : NULL;
  if (!*program) *program = own_program();
  if (*program) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "no redhost program to examine plugins with: none at %s",
                 beside ? beside : "../bin/redhost");
}

/* Copies it above the descriptors that have a meaning in the child, so that no dup2 overwrites
 * another's source. */
static int copy_up(int fd) { return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD); }

static int move_up(int fd) {
  int moved = copy_up(fd), code = errno;
  if (fd >= 0) close(fd);
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
  RH_FREED(const char *) given = rh_child_environment(spec->variable);
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
  return code;
}

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
  if (spec->output == RH_OUTPUT_KEPT && open_output(fds, child) != 0) return errno;
  return 0;
}

rh_status rh_child_start(rh_child *child, const rh_child_spec *spec, rh_error *error) {
  descriptors fds;
  if (spec->stranger && rh_is_privileged())
    return rh_fail(error, RH_E_PLUGIN,
                   "%s: is not started, because redhost runs with raised privileges",
                   spec->program);
  *child = (rh_child){.user = child->user,
                      .take = child->take,
                      .idle = child->idle,
                      .limit_s = child->limit_s,
                      .limit_bytes = child->limit_bytes,
                      .status = -1,
                      .fd = -1,
                      .output = -1,
                      .stranger = spec->stranger};
  int code = open_descriptors(&fds, child, spec);
  if (code == 0) code = spawn(&child->pid, spec, &fds);
  close_all(&fds);
  rh_child_grant(child);
  if (code == 0) return RH_OK;
  if (child->fd >= 0) close(child->fd);
  if (child->output >= 0) close(child->output);
  child->pid = 0;
  RH_FINISHED(rh_text) limits = {0};
  rh_limits_add(&limits);
  return rh_fail(error, RH_E_PLUGIN, "%s: cannot be started: %s%s", spec->program, strerror(code),
                 rh_text_get(&limits));
}
