#include "child.h"

#include <sys/resource.h>

enum { REQUEST_FD = 3, ANSWER_FD = 4, DATA_FD = 5, MOST_BYTES = 64 << 20 };

/* The pipe is complete: the parent has closed its end. */
static char *read_pipe(size_t *length) {
  size_t room = 1 << 20;
  char *bytes = calloc(1, room + 1);
  ssize_t got = 0;
  *length = 0;
  while (bytes && *length < room && (got = read(REQUEST_FD, bytes + *length, room - *length)) > 0)
    *length += (size_t)got;
  if (bytes && got == 0 && *length > 0) return bytes;
  free(bytes);
  return NULL;
}

char *rh_channel_request(size_t *length) {
  struct stat st;
  if (fstat(REQUEST_FD, &st) != 0) return NULL;
  if (S_ISFIFO(st.st_mode)) return read_pipe(length);
  if (!S_ISREG(st.st_mode) || st.st_size < 1 || st.st_size > MOST_BYTES) return NULL;
  size_t done;
  *length = (size_t)st.st_size;
  char *bytes = calloc(1, *length + 1);
  /* From 0 on: the parent shares the descriptor's offset, which is at the end. */
  if (bytes && rh_read_all(REQUEST_FD, bytes, *length, 0, &done) == 0 && done == *length)
    return bytes;
  free(bytes);
  return NULL;
}

/* Close-on-exec, so that programs started by a plugin do not inherit it. */
static int hide(int from) {
  int fd = fcntl(from, F_DUPFD_CLOEXEC, 100);
  if (fd < 0) fd = fcntl(from, F_DUPFD_CLOEXEC, DATA_FD + 1);
  if (fd >= 0) close(from);
  return fd;
}

int rh_channel_open(rh_channel *channel, int64_t parent) {
  struct rlimit none = {0, 0};
  channel->fd = -1;
  setrlimit(RLIMIT_CORE, &none);
  if (rh_guard_children(parent) != 0) return -1;
  channel->fd = hide(ANSWER_FD);
  if (channel->fd < 0) return -1;
  close(REQUEST_FD);
  return 0;
}

int rh_channel_data(void) { return hide(DATA_FD); }

int rh_channel_write(const rh_channel *channel, const char *text, size_t length) {
  return rh_write_all(channel->fd, text, length, RH_BYTES_HERE);
}

int rh_channel_say(const rh_channel *channel, json_t *frame) {
  char *text = frame ? json_dumps(frame, JSON_COMPACT) : NULL;
  json_decref(frame);
  if (!text) return -1;
  size_t length = strlen(text);
  text[length++] = '\n'; /* overwrites the terminating 0, which is not needed here */
  int failed = rh_channel_write(channel, text, length);
  free(text);
  return failed;
}

int rh_channel_hear(const rh_channel *channel, char *line, size_t bytes) {
  for (size_t k = 0; k < bytes;) {
    /* byte by byte, since lines are rare and nothing may be read ahead */
    ssize_t got = read(channel->fd, line + k, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    if (line[k++] != '\n') continue;
    line[k - 1] = 0;
    return 0;
  }
  return -1;
}

void rh_channel_close(rh_channel *channel) {
  if (channel->fd >= 0) close(channel->fd);
  channel->fd = -1;
}
