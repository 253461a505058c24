/* For LD_PRELOAD: pread() at or beyond byte REDHOST_TEST_PREAD_AT of a file whose path ends in
 * REDHOST_TEST_PREAD_OF fails with EIO; or, where REDHOST_TEST_PREAD_CUTS is set, the file is cut
 * there the first time that somebody reads so far. */
#undef _FORTIFY_SOURCE /* its pread() is an inline function, which cannot be defined again */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Of the file that is meant: 1, with its path in `link`. */
static int is_meant(int fd, char *link, size_t size) {
  const char *end = getenv("REDHOST_TEST_PREAD_OF");
  char path[4096];
  snprintf(link, size, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || !end || strlen(end) > (size_t)length) return 0;
  path[length] = 0;
  return strcmp(path + length - strlen(end), end) == 0;
}

static ssize_t pread_at(int fd, void *to, size_t bytes, off_t at) {
  const char *text = getenv("REDHOST_TEST_PREAD_AT");
  ssize_t (*real)(int, void *, size_t, off_t);
  void *found = dlsym(RTLD_NEXT, "pread");
  off_t limit = text ? (off_t)strtoull(text, NULL, 10) : 0;
  char link[64];
  memcpy(&real, &found, sizeof real);
  if (text && at + (off_t)bytes > limit && is_meant(fd, link, sizeof link)) {
    if (!getenv("REDHOST_TEST_PREAD_CUTS")) {
      errno = EIO;
      return -1;
    }
    if (truncate(link, limit) != 0) abort();
  }
  return real(fd, to, bytes, at);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) {
  return pread_at(fd, to, bytes, at);
}

ssize_t pread64(int fd, void *to, size_t bytes, off_t at) {
  return pread_at(fd, to, bytes, at);
}
