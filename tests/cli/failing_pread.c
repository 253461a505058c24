/* For LD_PRELOAD: pread() at or beyond byte REDHOST_TEST_PREAD_AT of a file whose path ends in
 * REDHOST_TEST_PREAD_OF fails with EIO; or, where REDHOST_TEST_PREAD_CUTS is set, the file is cut
 * there the first time that somebody reads so far.  The file cannot be mapped.
 *
 * With REDHOST_TEST_MAP_AT instead, it can be mapped, and reading the map at that byte's page
 * raises SIGBUS; or, with REDHOST_TEST_PREAD_CUTS, the file is cut there once it is mapped.
 * All of it counts as cached. */
#undef _FORTIFY_SOURCE /* its pread() is an inline function, which cannot be defined again */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "../suite/real.h"

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
  off_t limit = text ? (off_t)strtoull(text, NULL, 10) : 0;
  char link[64];
  REAL(pread);
  if (text && at + (off_t)bytes > limit && is_meant(fd, link, sizeof link)) {
    if (!getenv("REDHOST_TEST_PREAD_CUTS")) {
      errno = EIO;
      return -1;
    }
    if (truncate(link, limit) != 0) abort();
  }
  return real(fd, to, bytes, at);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) { return pread_at(fd, to, bytes, at); }

ssize_t pread64(int fd, void *to, size_t bytes, off_t at) { return pread_at(fd, to, bytes, at); }

/* The page of byte `at` is that of a file without any bytes. */
static void map_nothing(char *address, size_t bytes, size_t at) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = at / page * page;
  int fd = memfd_create("nothing", MFD_CLOEXEC);
  REAL(mmap);
  if (begin >= bytes) return;
  if (fd < 0 ||
      real(address + begin, page, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
    abort();
  close(fd);
}

static int is_mapped;

static void *map_of(void *at, size_t bytes, int rights, int flags, int fd, off_t offset) {
  const char *text = getenv("REDHOST_TEST_MAP_AT");
  char link[64];
  REAL(mmap);
  int meant = fd >= 0 && is_meant(fd, link, sizeof link);
  if (meant && !text) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  char *address = real(at, bytes, rights, flags, fd, offset);
  if (!meant || address == MAP_FAILED) return address;
  is_mapped = 1;
  if (!getenv("REDHOST_TEST_PREAD_CUTS")) map_nothing(address, bytes, strtoull(text, NULL, 10));
  else if (truncate(link, (off_t)strtoull(text, NULL, 10)) != 0) abort();
  return address;
}

void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset) {
  return map_of(at, bytes, rights, flags, fd, offset);
}

void *mmap64(void *at, size_t bytes, int rights, int flags, int fd, off_t offset) {
  return map_of(at, bytes, rights, flags, fd, offset);
}

int mincore(void *address, size_t bytes, unsigned char *are_there) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  REAL(mincore);
  if (!is_mapped) return real(address, bytes, are_there);
  memset(are_there, 1, (bytes + page - 1) / page);
  return 0;
}
