#include "base.h"

int rh_write_all(int fd, const void *from, size_t bytes, uint64_t at) {
  for (size_t done = 0; done < bytes;) {
    const char *rest = (const char *)from + done;
    ssize_t wrote = at == RH_BYTES_HERE ? write(fd, rest, bytes - done)
                                        : pwrite(fd, rest, bytes - done, (off_t)(at + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return -1;
    done += (size_t)wrote;
  }
  return 0;
}

int rh_read_all(int fd, void *to, size_t bytes, uint64_t at, size_t *done) {
  for (*done = 0; *done < bytes;) {
    ssize_t got = pread(fd, (char *)to + *done, bytes - *done, (off_t)(at + *done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    *done += (size_t)got;
  }
  return 0;
}
