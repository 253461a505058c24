/* The transport `example`: ranks of one or several hosts, joined by TCP.
 *
 * Each rank is told where it stands by three variables of its environment:
 *     TRANSPORT_RANK   0 .. TRANSPORT_SIZE-1
 *     TRANSPORT_SIZE   the number of ranks
 *     TRANSPORT_ROOT   HOST:PORT, where rank 0 listens
 * run-example sets them for ranks of one host; ssh or a batch system does it for several.  Without
 * them, a process is a job of one rank.
 *
 * Every rank has one connection to rank 0.  A gather sends all parts there and all of them back, so
 * rank 0 knows who is missing.  A rank that is lost is noticed by its connection, which closes, or
 * by the time that passes. */
#include <redhost/transport.h>

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HOST_BYTES = 64, MOST_RANKS = 4096 };

/* Seconds for all ranks to come together, and how much longer than rank 0 the others wait: rank 0
 * knows who is missing, so it speaks first. */
static const double join_s = 30, longer_s = 1;

typedef struct job {
  uint32_t rank, size;
  int *peers; /* sockets: of rank 0, to each rank; of another, peers[0] to rank 0; -1: none */
} job;

static int32_t fail(char *text, uint32_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int32_t fail(char *text, uint32_t bytes, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, bytes, format, args);
  va_end(args);
  return -1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- The environment ---- */

typedef struct told {
  uint32_t rank, size;
  char host[256], port[16];
} told;

static int read_number(const char *variable, uint32_t *number) {
  const char *text = getenv(variable);
  char *end;
  unsigned long value = text ? strtoul(text, &end, 10) : 0;
  if (!text || text[0] < '0' || text[0] > '9' || *end || value > MOST_RANKS) return 0;
  *number = (uint32_t)value;
  return 1;
}

/* 1: this process is a rank; 0: nothing was said; -1: something wrong was said. */
static int read_environment(told *t) {
  const char *root = getenv("TRANSPORT_ROOT");
  if (!getenv("TRANSPORT_RANK") && !getenv("TRANSPORT_SIZE") && !root) return 0;
  const char *colon = root ? strrchr(root, ':') : NULL;
  if (!read_number("TRANSPORT_RANK", &t->rank) || !read_number("TRANSPORT_SIZE", &t->size) ||
      t->rank >= t->size || !colon || (size_t)(colon - root) >= sizeof t->host ||
      strlen(colon + 1) >= sizeof t->port)
    return -1;
  snprintf(t->host, sizeof t->host, "%.*s", (int)(colon - root), root);
  snprintf(t->port, sizeof t->port, "%s", colon + 1);
  return 1;
}

static int32_t probe(char *text, uint32_t bytes) {
  told t;
  int said = read_environment(&t);
  if (said < 0) {
    snprintf(text, bytes,
             "TRANSPORT_RANK, TRANSPORT_SIZE and TRANSPORT_ROOT do not fit together; "
             "start the ranks with run-example");
    return RH_TRANSPORT_CANNOT;
  }
  snprintf(text, bytes, "TCP; run-example N COMMAND starts N ranks");
  return said ? RH_TRANSPORT_STARTED : RH_TRANSPORT_CAN;
}

/* ---- Bytes ---- */

static int wait_ready(int fd, short events, double deadline) {
  for (;;) {
    double left = deadline - now();
    struct pollfd one = {fd, events, 0};
    int ready = left > 0 ? poll(&one, 1, (int)(left * 1000) + 1) : 0;
    if (ready > 0) return 1;
    if (ready == 0 || errno != EINTR) return 0;
  }
}

/* Both: 1 when all bytes are through; 0: late; -1: the other side has ended. */
static int receive(int fd, void *to, uint64_t bytes, double deadline) {
  for (uint64_t done = 0; done < bytes;) {
    ssize_t got = recv(fd, (char *)to + done, bytes - done, MSG_DONTWAIT);
    if (got > 0) done += (uint64_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return -1;
    if (got < 0 && !wait_ready(fd, POLLIN, deadline)) return 0;
  }
  return 1;
}

static int send_bytes(int fd, const void *from, uint64_t bytes, double deadline) {
  for (uint64_t done = 0; done < bytes;) {
    ssize_t sent = send(fd, (const char *)from + done, bytes - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) done += (uint64_t)sent;
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (sent < 0 && !wait_ready(fd, POLLOUT, deadline)) return 0;
  }
  return 1;
}

static int32_t lost(uint32_t rank, int code, double seconds, char *text, uint32_t bytes) {
  if (code == 0) return fail(text, bytes, "rank %u has not answered for %.0f s", rank, seconds);
  return fail(text, bytes, "rank %u has ended", rank);
}

/* ---- gather ---- */

/* Collects what arrives of each rank, from all at once: one that has ended is noticed while another
 * is waited for. */
static int32_t collect(job *j, uint32_t n, unsigned char *all, double seconds, char *text,
                       uint32_t bytes) {
  double deadline = now() + seconds;
  struct pollfd *fds = calloc(j->size, sizeof *fds);
  uint32_t *done = calloc(j->size, sizeof *done), missing = j->size - 1;
  int32_t result = fds && done ? 0 : fail(text, bytes, "no memory for the ranks' messages");
  while (missing > 0 && result == 0) {
    double left = deadline - now();
    for (uint32_t r = 1; r < j->size; r++)
      fds[r] = (struct pollfd){done[r] < n ? j->peers[r] : -1, POLLIN, 0};
    if (left > 0) poll(fds + 1, j->size - 1, (int)(left * 1000) + 1);
    for (uint32_t r = 1; r < j->size && result == 0; r++) {
      if (left <= 0 && done[r] < n) result = lost(r, 0, seconds, text, bytes);
      if (!fds[r].revents || result != 0) continue;
      ssize_t got = recv(j->peers[r], all + (size_t)r * n + done[r], n - done[r], MSG_DONTWAIT);
      if (got > 0) done[r] += (uint32_t)got;
      if (got > 0 && done[r] == n) missing--;
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        result = lost(r, -1, seconds, text, bytes);
    }
  }
  free(fds);
  free(done);
  return result;
}

static int32_t gather(void *self, const void *mine, uint32_t n, void *all, double seconds,
                      char *text, uint32_t bytes) {
  job *j = self;
  uint64_t total = (uint64_t)n * j->size;
  memcpy((char *)all + (size_t)j->rank * n, mine, n);
  if (j->rank == 0) {
    if (collect(j, n, all, seconds, text, bytes) != 0) return -1;
    for (uint32_t r = 1; r < j->size; r++) {
      int code = send_bytes(j->peers[r], all, total, now() + seconds);
      if (code != 1) return lost(r, code, seconds, text, bytes);
    }
    return 0;
  }
  double deadline = now() + seconds + longer_s;
  int code = send_bytes(j->peers[0], mine, n, deadline);
  if (code == 1) code = receive(j->peers[0], all, total, deadline);
  return code == 1 ? 0 : lost(0, code, seconds + longer_s, text, bytes);
}

/* ---- open ---- */

static void release(job *j) {
  for (uint32_t r = 0; j->peers && r < j->size; r++)
    if (j->peers[r] >= 0) close(j->peers[r]);
  free(j->peers);
  free(j);
}

/* Small messages leave at once, and programs that are started do not inherit the connection. */
static int prepare(int fd) {
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

/* Rank 0: takes a connection of every other rank, which names itself first. */
static int32_t accept_all(job *j, int listener, double deadline, char *text, uint32_t bytes) {
  for (uint32_t n = 1; n < j->size; n++) {
    uint32_t rank = 0;
    int fd =
        wait_ready(listener, POLLIN, deadline) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd < 0)
      return fail(text, bytes, "only %u of %u ranks have come within %.0f s", n, j->size, join_s);
    if (receive(fd, &rank, sizeof rank, deadline) != 1 || (rank = ntohl(rank)) == 0 ||
        rank >= j->size || j->peers[rank] >= 0) {
      close(fd);
      return fail(text, bytes, "what connected to rank 0 is not one of its %u ranks", j->size);
    }
    j->peers[rank] = prepare(fd);
  }
  return 0;
}

static int32_t listen_at(job *j, const struct addrinfo *at, double deadline, char *text,
                         uint32_t bytes) {
  int yes = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, (int)j->size) != 0) {
    int code = errno;
    if (fd >= 0) close(fd);
    return fail(text, bytes, "rank 0 cannot listen at %s: %s", getenv("TRANSPORT_ROOT"),
                strerror(code));
  }
  int32_t result = accept_all(j, fd, deadline, text, bytes);
  close(fd);
  return result;
}

/* Rank 0 may not listen yet. */
static int32_t connect_to(job *j, const struct addrinfo *at, double deadline, char *text,
                          uint32_t bytes) {
  const struct timespec nap = {0, 10000000};
  uint32_t rank = htonl(j->rank);
  int fd = -1, code = 0;
  do {
    if (fd >= 0) close(fd);
    if (code) nanosleep(&nap, NULL);
    fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    code = fd < 0 || connect(fd, at->ai_addr, at->ai_addrlen) != 0 ? errno : 0;
  } while (code && now() < deadline);
  if (fd >= 0) j->peers[0] = prepare(fd);
  if (code)
    return fail(text, bytes, "rank 0 does not answer at %s: %s", getenv("TRANSPORT_ROOT"),
                strerror(code));
  return send_bytes(fd, &rank, sizeof rank, deadline) == 1 ? 0
                                                           : fail(text, bytes, "rank 0 has ended");
}

static int32_t connect_all(job *j, const told *t, char *text, uint32_t bytes) {
  const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *at = NULL;
  double deadline = now() + join_s;
  if (j->size == 1) return 0;
  int code = getaddrinfo(t->host, t->port, &wanted, &at);
  if (code != 0)
    return fail(text, bytes, "TRANSPORT_ROOT '%s': %s", getenv("TRANSPORT_ROOT"),
                gai_strerror(code));
  int32_t result =
      j->rank ? connect_to(j, at, deadline, text, bytes) : listen_at(j, at, deadline, text, bytes);
  freeaddrinfo(at);
  return result;
}

/* How many lower ranks are on this host? */
static int32_t find_local_rank(job *j, uint32_t *local, char *text, uint32_t bytes) {
  char mine[HOST_BYTES] = "", *all = malloc((size_t)j->size * HOST_BYTES);
  if (!all) return fail(text, bytes, "no memory for the names of hosts");
  gethostname(mine, sizeof mine - 1);
  int32_t result = gather(j, mine, HOST_BYTES, all, join_s, text, bytes);
  for (uint32_t r = *local = 0; result == 0 && r < j->rank; r++)
    *local += memcmp(all + (size_t)r * HOST_BYTES, mine, HOST_BYTES) == 0;
  free(all);
  return result;
}

static int32_t open_job(void **self, rh_rank_place *place, char *text, uint32_t bytes) {
  told t = {.size = 1};
  if (read_environment(&t) < 0) {
    probe(text, bytes); /* says why */
    return -1;
  }
  job *j = calloc(1, sizeof *j);
  if (!j) return fail(text, bytes, "no memory for the job");
  *j = (job){t.rank, t.size, malloc(t.size * sizeof *j->peers)};
  for (uint32_t r = 0; j->peers && r < t.size; r++) j->peers[r] = -1;
  int32_t result = j->peers ? connect_all(j, &t, text, bytes)
                            : fail(text, bytes, "no memory for %u ranks", t.size);
  if (result == 0) result = find_local_rank(j, &place->local_rank, text, bytes);
  if (result != 0) {
    release(j);
    return -1;
  }
  place->rank = j->rank;
  place->size = j->size;
  *self = j;
  return 0;
}

/* ---- abort and close ---- */

/* The connections close with the process, so every gather fails, and every rank ends.  A rank that
 * is stopped is ended by run-example. */
static void abort_job(void *self, int32_t exit_status, const char *sentence) {
  (void)self;
  (void)sentence;
  _exit(exit_status);
}

/* Bytes that were sent still arrive. */
static void close_job(void *self) { release(self); }

extern const rh_transport redhost_transport_v1;
RH_TRANSPORT_EXPORT const rh_transport redhost_transport_v1 = {
    .magic = RH_TRANSPORT_MAGIC,
    .struct_size = sizeof(rh_transport),
    .version = RH_TRANSPORT_VERSION,
    .name = "example",
    .description = "ranks joined by TCP",
    .probe = probe,
    .open = open_job,
    .gather = gather,
    .abort = abort_job,
    .close = close_job,
};
