#include "base.h"

#include <sys/resource.h>

static void add(rh_text *to, __rlimit_resource_t which, uint64_t enough, const char *what,
                char letter) {
  struct rlimit limit;
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= enough)
    return;
  int counts = which == RLIMIT_NOFILE || which == RLIMIT_NPROC;
  unsigned long long value = counts ? limit.rlim_cur : limit.rlim_cur / 1024;
  rh_text_add(to, "; %s limited to %llu%s (ulimit -%c)", what, value, counts ? "" : " KiB", letter);
}

void rh_limits_add(rh_text *to) {
  const uint64_t GiB = (uint64_t)1 << 30;
  add(to, RLIMIT_AS, 64 * GiB, "the address space is", 'v');
  add(to, RLIMIT_DATA, 64 * GiB, "data memory is", 'd');
  add(to, RLIMIT_STACK, 1 << 20, "the stack is", 's');
  add(to, RLIMIT_FSIZE, GiB, "files are", 'f');
  add(to, RLIMIT_MEMLOCK, 1 << 14, "locked memory is", 'l');
  add(to, RLIMIT_NOFILE, 64, "open files are", 'n');
  add(to, RLIMIT_NPROC, 64, "processes are", 'u');
}
