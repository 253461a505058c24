#include "ranks.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../../core/child/child.h"

static const char variable[] = "REDHOST_LOCAL_RANK"; /* "3/8": rank 3 of 8 */
enum { SOCKET_FD = 3, ONE_MORE_S = 1 };

typedef struct peer {
  pid_t pid; /* -1: rank 0 as others see it, or none */
  int fd;
  uint64_t done; /* bytes of the message in progress */
} peer;

/* Rank 0 has a peer for every rank, its own unused; another rank has one, rank 0. */
typedef struct local {
  uint32_t rank, size;
  peer peers[];
} local;

/* ---- Bytes ---- */

static int wait_ready(int fd, short events, double deadline) {
  for (;;) {
    double left = deadline - rh_now();
    struct pollfd one = {fd, events, 0};
    int ready = left > 0 ? poll(&one, 1, (int)(left * 1000) + 1) : 0;
    if (ready > 0) return 1;
    if (ready == 0 || errno != EINTR) return 0;
  }
}

/* 1: all are sent; 0: late; -1: the other side has ended. */
static int send_all(int fd, const void *from, uint64_t bytes, double deadline) {
  for (uint64_t done = 0; done < bytes;) {
    ssize_t sent = send(fd, (const char *)from + done, bytes - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (sent > 0) done += (uint64_t)sent;
    if (sent < 0 && !wait_ready(fd, POLLOUT, deadline)) return 0;
  }
  return 1;
}

/* ---- Gathering ---- */

/* Waits until it has ended, or until the deadline, when 0 is returned. */
static pid_t reap(peer *other, double deadline, int *status) {
  pid_t reaped = 0;
  while (other->pid > 0 && (reaped = waitpid(other->pid, status, WNOHANG)) == 0 &&
         rh_now() < deadline)
    usleep(1000);
  if (reaped != 0) other->pid = -1;
  return reaped;
}

/* code: of send_all(), or -1. */
static int32_t lost(local *self, uint32_t rank, int code, double seconds, char *text,
                    uint32_t bytes) {
  int status = 0;
  if (code == 0) {
    snprintf(text, bytes, "rank %u has not answered for %.0f s", rank, seconds);
    return -1;
  }
  /* Its last words are its exit status or signal. */
  pid_t reaped = reap(&self->peers[self->rank ? 0 : rank], rh_now() + ONE_MORE_S, &status);
  if (reaped > 0 && WIFSIGNALED(status))
    snprintf(text, bytes, "rank %u was ended by signal %d (%s)", rank, WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else if (reaped > 0)
    snprintf(text, bytes, "rank %u ended early, with status %d", rank, WEXITSTATUS(status));
  else snprintf(text, bytes, "rank %u ended early", rank);
  return -1;
}

/* Takes what has arrived.  -1: the rank has ended. */
static int take_some(peer *other, unsigned char *to, uint64_t n) {
  ssize_t got = recv(other->fd, to + other->done, n - other->done, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return -1;
  if (got > 0) other->done += (uint64_t)got;
  return 0;
}

/* n bytes from each of the peers first .. end-1, at once: one that has ended is noticed while
 * another is waited for. */
static int32_t receive_all(local *self, uint32_t first, uint32_t end, uint64_t n,
                           unsigned char *all, double seconds, char *text, uint32_t bytes) {
  double deadline = rh_now() + seconds;
  RH_FREED(struct pollfd) fds = calloc(end, sizeof *fds);
  int32_t result = fds ? 0 : -1;
  if (!fds) snprintf(text, bytes, "no memory for the ranks' messages");
  for (uint32_t r = first; r < end; r++) self->peers[r].done = 0;
  while (result == 0) {
    uint32_t late = end;
    for (uint32_t r = end; r-- > first;) {
      int waits = self->peers[r].done < n;
      fds[r] = (struct pollfd){waits ? self->peers[r].fd : -1, POLLIN, 0};
      if (waits) late = r;
    }
    if (late == end) break;
    double left = deadline - rh_now();
    if (left <= 0) result = lost(self, late, 0, seconds, text, bytes);
    if (result == 0) poll(fds + first, end - first, (int)(left * 1000) + 1);
    for (uint32_t r = first; r < end && result == 0; r++)
      if (fds[r].revents && take_some(&self->peers[r], all + (size_t)r * n, n) != 0)
        result = lost(self, r, -1, seconds, text, bytes);
  }
  return result;
}

static int32_t gather(void *of_job, const void *mine, uint32_t n, void *all, double seconds,
                      char *text, uint32_t bytes) {
  local *self = of_job;
  uint64_t total = (uint64_t)n * self->size;
  memcpy((unsigned char *)all + (size_t)self->rank * n, mine, n);
  if (self->rank == 0) {
    if (receive_all(self, 1, self->size, n, all, seconds, text, bytes) != 0) return -1;
    for (uint32_t r = 1; r < self->size; r++) {
      int code = send_all(self->peers[r].fd, all, total, rh_now() + seconds);
      if (code != 1) return lost(self, r, code, seconds, text, bytes);
    }
    return 0;
  }
  /* Rank 0 knows who is missing, so others wait a little longer. */
  double patience = seconds + ONE_MORE_S;
  int code = send_all(self->peers[0].fd, mine, n, rh_now() + patience);
  return code == 1 ? receive_all(self, 0, 1, total, all, patience, text, bytes)
                   : lost(self, 0, code, patience, text, bytes);
}

/* ---- Starting ---- */

static int spawn_with(pid_t *pid, int fd, const char *program, char *const *argv,
                      const char **environment) {
  posix_spawn_file_actions_t actions;
  char *const *given;
  memcpy(&given, &environment, sizeof given); /* posix_spawn() does not change the strings */
  int code = posix_spawn_file_actions_init(&actions);
  if (code) return code;
  code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!code) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, fd, SOCKET_FD);
  if (!code) code = posix_spawn(pid, program, &actions, NULL, argv, given);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/* 0, or an errno. */
static int start(local *self, uint32_t rank, const char *program, char *const *argv) {
  char own[64];
  int ends[2];
  snprintf(own, sizeof own, "%s=%u/%u", variable, rank, self->size);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  /* Above the descriptor that it becomes: a dup2 onto itself would keep FD_CLOEXEC. */
  int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, SOCKET_FD + 1);
  close(ends[1]);
  const char **environment = rh_child_environment(own);
  int code = theirs < 0 ? errno : environment ? 0 : ENOMEM;
  if (!code) code = spawn_with(&self->peers[rank].pid, theirs, program, argv, environment);
  if (theirs >= 0) close(theirs);
  free(environment);
  self->peers[rank].fd = ends[0];
  if (code) self->peers[rank].pid = -1;
  return code;
}

static void release(local *self) {
  for (uint32_t r = 0; r < (self->rank ? 1 : self->size); r++)
    if (self->peers[r].fd >= 0) close(self->peers[r].fd);
  free(self);
}

/* A killed process ends at once unless its driver blocks in the kernel. */
static void kill_all(local *self) {
  double deadline = rh_now() + ONE_MORE_S;
  for (uint32_t r = 1; r < self->size; r++)
    if (self->peers[r].pid > 0) kill(self->peers[r].pid, SIGKILL);
  for (uint32_t r = 1; r < self->size; r++) reap(&self->peers[r], deadline, NULL);
}

static local *create(uint32_t rank, uint32_t size) {
  local *self = malloc(sizeof *self + size * sizeof *self->peers);
  if (!self) return NULL;
  self->rank = rank;
  self->size = size;
  for (uint32_t r = 0; r < size; r++) self->peers[r] = (peer){-1, -1, 0};
  return self;
}

rh_status rh_local_launch(void **made, rh_rank_place *place, uint32_t size, const char *program,
                          char *const *argv, rh_error *error) {
  local *self = create(0, size);
  if (!self) return rh_fail(error, RH_E_NOMEM, "no memory for %u ranks", size);
  int code = 0;
  for (uint32_t r = 1; r < size && !code; r++) code = start(self, r, program, argv);
  if (code) {
    uint32_t started = 1;
    while (started < size && self->peers[started].pid > 0) started++;
    kill_all(self);
    release(self);
    return rh_fail(error, code == EAGAIN || code == EMFILE ? RH_E_USAGE : RH_E_DEVICE,
                   "%u ranks cannot be started, only %u: %s; ask for fewer, or raise the limits of "
                   "processes and files",
                   size, started, strerror(code));
  }
  *place = (rh_rank_place){sizeof *place, 0, size, 0};
  *made = self;
  return RH_OK;
}

/* ---- The descriptor ---- */

static int read_variable(uint32_t *rank, uint32_t *size) {
  const char *text = rh_env(variable);
  return text && sscanf(text, "%u/%u", rank, size) == 2 && *rank > 0 && *rank < *size &&
         *size <= RH_LOCAL_MOST_RANKS;
}

int rh_local_is_rank(void) {
  uint32_t rank, size;
  return read_variable(&rank, &size);
}

static int32_t probe(char *text, uint32_t bytes) {
  uint32_t rank, size;
  snprintf(text, bytes, "processes that rank 0 starts on this host");
  return read_variable(&rank, &size) ? RH_TRANSPORT_STARTED : RH_TRANSPORT_CAN;
}

static int32_t join(void **made, rh_rank_place *place, char *text, uint32_t bytes) {
  uint32_t rank, size;
  local *self = read_variable(&rank, &size) ? create(rank, size) : NULL;
  if (!self) {
    snprintf(text, bytes, "this process was not started as a rank of this host");
    return -1;
  }
  self->peers[0].fd = SOCKET_FD;
  /* A process that this one starts is not a rank.  It ends with rank 0, which may have ended
   * already. */
  fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  *place = (rh_rank_place){sizeof *place, rank, size, rank};
  *made = self;
  return 0;
}

/* A rank that is not the first ends the first, with which all others end. */
static void end_all(void *of_job, int32_t exit_status, const char *sentence) {
  local *self = of_job;
  (void)sentence;
  if (self->rank == 0) kill_all(self);
  else kill(getppid(), SIGKILL);
  _exit(exit_status);
}

/* Rank 0 waits for the others, which have nothing left to do. */
static void leave(void *of_job) {
  local *self = of_job;
  double deadline = rh_now() + 2;
  for (uint32_t r = 1; self->rank == 0 && r < self->size; r++)
    reap(&self->peers[r], deadline, NULL);
  if (self->rank == 0) kill_all(self);
  release(self);
}

const rh_transport rh_local_transport = {
    .magic = RH_TRANSPORT_MAGIC,
    .struct_size = sizeof(rh_transport),
    .version = RH_TRANSPORT_VERSION,
    .name = "local",
    .description = "processes of one host, without MPI",
    .probe = probe,
    .open = join,
    .gather = gather,
    .abort = end_all,
    .close = leave,
};
