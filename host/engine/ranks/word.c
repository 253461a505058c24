#include "ranks.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A name that only one process can hold, and that goes with it, without a file that stays: an
 * abstract socket's.  mpirun's ranks on a host have one parent. */
int rh_word_take(void) {
  static int is_mine;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (is_mine) return 1;
  int length =
      snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "redhost-word-of-%ld", (long)getppid());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  if (fd >= 0 && bind(fd, (const struct sockaddr *)&name, bytes) != 0 && errno == EADDRINUSE) {
    close(fd);
    return 0;
  }
  return is_mine = 1; /* two sentences are better than none */
}

void rh_word_hold(void) {
  const struct timespec pause = {.tv_nsec = 700000000};
  nanosleep(&pause, NULL);
}
