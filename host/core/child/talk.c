/* Listening to a child, and how it ended. */
#include "child.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const double look_s = 0.2; /* of silence, between calls of idle() */

void rh_child_grant(rh_child *child) {
  child->deadline = rh_now() + child->limit_s;
  child->most = child->received + child->limit_bytes;
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

enum { PORTION = 1 << 13 }; /* the stack may be small */

/* Reads one portion of the available output, so that a flood cannot block the caller. */
static void drain(rh_child *child) {
  char bytes[PORTION];
  rh_printed *printed = &child->printed;
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

static void receive(rh_child *child) {
  char bytes[PORTION];
  rh_text *lines = &child->lines;
  ssize_t got = read(child->fd, bytes, sizeof bytes);
  if (got == 0 || (got < 0 && errno != EINTR)) child->has_ended = 1;
  if (got <= 0) return;
  if (child->taken) {
    lines->length -= child->taken;
    memmove(lines->s, lines->s + child->taken, lines->length);
    child->scanned -= child->taken;
    child->taken = 0;
  }
  rh_text_append(lines, bytes, (size_t)got);
  child->received += (uint64_t)got;
}

/* The next line that is whole, and its length; null: there is none. */
static const char *next_line(rh_child *child, size_t *length) {
  const rh_text *lines = &child->lines;
  size_t new = lines->length - child->scanned;
  char *end = new ? memchr(lines->s + child->scanned, '\n', new) : NULL;
  child->scanned = end ? (size_t)(end - lines->s) + 1 : lines->length;
  if (!end) return NULL;
  const char *line = lines->s + child->taken;
  *end = 0;
  *length = (size_t)(end - line);
  child->taken = child->scanned;
  return line;
}

/* Waits until something has arrived, for a moment at most. */
static rh_fate wait_for_bytes(rh_child *child, double deadline) {
  struct pollfd fds[2] = {{child->fd, POLLIN, 0}, {child->output, POLLIN, 0}};
  double left = deadline - rh_now();
  int is_dead = life_of(child) != LIVES; /* then all that it sent has arrived */
  int slice = left > 0.05 ? 50 : left > 0 ? (int)(left * 1000) + 1 : 0;
  int ready = poll(fds, 2, is_dead ? 0 : slice);
  if (ready > 0 && fds[1].revents) drain(child);
  if (ready > 0 && fds[0].revents) receive(child);
  else if (is_dead || (ready < 0 && errno != EINTR)) child->has_ended = 1;
  else if (left <= 0) return RH_FATE_LATE;
  return RH_GOES_ON;
}

static rh_fate go_on(rh_child *child, double deadline, rh_error *error) {
  size_t length;
  const char *line = next_line(child, &length);
  if (line) {
    child->next_look = rh_now() + look_s;
    return child->take(child->user, line, length, error);
  }
  if (child->has_ended) return RH_FATE_ENDED;
  if (child->received > child->most || child->lines.failed) return RH_FATE_FLOOD;
  if (child->idle && rh_now() >= child->next_look) {
    child->next_look = rh_now() + look_s;
    rh_fate fate = child->idle(child->user, error);
    if (fate != RH_GOES_ON) return fate;
  }
  return wait_for_bytes(child, deadline);
}

rh_fate rh_child_listen(rh_child *child, rh_error *error) {
  child->next_look = rh_now() + look_s;
  do child->fate = go_on(child, child->deadline, error);
  while (child->fate == RH_GOES_ON);
  return child->fate;
}

rh_fate rh_child_drain(rh_child *child, rh_error *error) {
  rh_child_grant(child);
  child->next_look = child->deadline;
  do child->fate = go_on(child, 0, error);
  while (child->fate == RH_GOES_ON);
  if (child->fate == RH_FATE_LATE) child->fate = RH_GOES_ON;
  return child->fate;
}

/* send() avoids SIGPIPE if the child has ended; if send() is denied, write() is used. */
int rh_child_tell(const rh_child *child, const char *line) {
  size_t length = strlen(line);
  ssize_t sent = send(child->fd, line, length, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS))
    sent = write(child->fd, line, length);
  return sent == (ssize_t)length ? 0 : -1;
}

/* ---- The end ---- */

static void wait_for_end(rh_child *child, double seconds) {
  double deadline = rh_now() + seconds;
  struct timespec nap = {0, 100000};
  while (life_of(child) == LIVES && rh_now() < deadline) {
    drain(child);
    nanosleep(&nap, NULL);
    if (nap.tv_nsec < 5000000) nap.tv_nsec *= 2;
  }
}

/* How long to wait after killing it; a killed process ends at once unless its driver blocks in the
 * kernel, and is left to the system then. */
static const double killed_s = 2;

void rh_child_end(rh_child *child, double grace) {
  int status, may_end = child->fate == RH_FATE_HEARD || child->fate == RH_GOES_ON;
  if (child->pid <= 0) return;
  if (child->fate == RH_FATE_ENDED) grace = fmax(grace, RH_CHILD_CLOSED_S);
  else if (!may_end) grace = 0; /* it is still running and is not waited for */
  wait_for_end(child, grace);
  /* Its guard also kills processes outside the group. */
  if (!child->stranger && life_of(child) == LIVES && kill(child->pid, SIGTERM) == 0)
    wait_for_end(child, RH_CHILD_CLOSED_S);
  /* The group is killed before reaping, after which the process id may be reused. */
  if (life_of(child) != GONE) {
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* it may have left its group */
  }
  wait_for_end(child, killed_s);
  if (waitpid(child->pid, &status, WNOHANG) == child->pid) child->status = status;
  drain(child); /* at most one pipe's capacity */
  if (child->output >= 0) close(child->output);
  close(child->fd);
  rh_text_finish(&child->lines);
  child->pid = 0;
}

/* ---- In words ---- */

void rh_printed_quote(const rh_printed *printed, char *to, size_t bytes) {
  size_t length = strcspn(printed->begin, "\n");
  to[0] = 0;
  if (!length) return;
  snprintf(to, bytes, "; it printed '%.*s%s'", (int)length, printed->begin,
           printed->bytes > length + 1 ? "..." : "");
  rh_make_plain(to);
}

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

void rh_child_name(const rh_child *child, const char *where, char *to, size_t bytes) {
  char printed[256], limit[32];
  switch (child->fate) {
  case RH_FATE_LATE:
    snprintf(to, bytes, "did not answer within %g s %s", child->limit_s, where);
    break;
  case RH_FATE_FLOOD:
    snprintf(to, bytes, "sent more than %s %s", rh_format_bytes(limit, child->limit_bytes), where);
    break;
  case RH_FATE_GARBAGE: snprintf(to, bytes, "wrote to redhost's result channel %s", where); break;
  default: rh_ending_name(child->status, where, to, bytes); break;
  }
  rh_printed_quote(&child->printed, printed, sizeof printed);
  strncat(to, printed, bytes - strlen(to) - 1);
}
